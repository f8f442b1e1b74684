#pragma once

#include "support/world.hpp"

namespace zklock::test {

/// Restores the shared server, however a test ends.
class server_restorer {
 public:
  server_restorer() = default;
  server_restorer(const server_restorer&) = delete;
  server_restorer& operator=(const server_restorer&) = delete;

  ~server_restorer() {
    try {
      shared_server().resume();
      shared_server().start();
      shared_server().heal();
    } catch (const testing::error&) {
      // The tests that follow report it.
    }
  }
};

} // namespace zklock::test
