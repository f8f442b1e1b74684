#pragma once

// The C client's header. The library contains a copy of the C client with renamed functions, and
// the first header renames the declarations of the second header.
// clang-format off
#include <zookeeper_st_names.h>
#include <zookeeper/zookeeper.h>
// clang-format on
