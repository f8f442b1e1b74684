#pragma once

#include <zklock/shared_mutex.hpp>

#include "support/scene.hpp"

namespace zklock::test {

/// Two clients of a lock.
struct shared_scene : two_clients {
  shared_mutex lock{zk, path};
  shared_mutex theirs{other, path};
};

} // namespace zklock::test
