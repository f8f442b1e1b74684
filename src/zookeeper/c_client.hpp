// The C client's header, with the names under which our library carries it.
#pragma once

#include <zookeeper_st_names.h> // must come first: it renames what the next header declares

#include <zookeeper/zookeeper.h>
