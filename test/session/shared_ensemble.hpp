#pragma once

#include <zklock/testing/ensemble.hpp>

#include <cstddef>

namespace zklock::test {

/// The ensemble that the tests of this program share. Each test leaves it running and healed.
inline testing::ensemble& shared_ensemble() {
  static testing::ensemble instance(3);
  return instance;
}

/// Restores the ensemble, however a test ends.
struct ensemble_restorer {
  ~ensemble_restorer() {
    try {
      shared_ensemble().heal();
      shared_ensemble().start();
    } catch (const testing::error&) {
      // The tests that follow report it.
    }
  }
};

/// The server that the only client is connected to; null while there is none, or while the session
/// of an earlier client still ends.
inline testing::server* server_of_client() {
  testing::server* found = nullptr;
  std::size_t connections = 0;
  for (std::size_t i = 0; i < shared_ensemble().size(); ++i) {
    auto& server = shared_ensemble()[i];
    if (server.clients().connections() == 0) continue;
    connections += server.clients().connections();
    found = &server;
  }
  return connections == 1 ? found : nullptr;
}

} // namespace zklock::test
