#pragma once

// The C client's header, with the names under which our library carries it. The first must stay
// first: it renames what the second declares.
// clang-format off
#include <zookeeper_st_names.h>
#include <zookeeper/zookeeper.h>
// clang-format on
