#pragma once

#include "interop/peer.hpp"
#include "support/scene.hpp"

#include <future>
#include <string>
#include <vector>

namespace zklock::test {

/// A lock that no other test uses, a client of ours for it, and a raw client that observes it.
class meeting : public blocking_scene {
 public:
  explicit meeting(std::string identity = "ours") : meeting(options(std::move(identity))) {}
  explicit meeting(client_options ours) : blocking_scene({.ours = std::move(ours), .threads = 2}) {}

  /// "VERB NAME PATH 30000": the command to acquire something at this meeting's path.
  std::string command(const std::string& verb, const std::string& name) const {
    return verb + ' ' + name + ' ' + path + " 30000";
  }

  hold take() { return get(lock.acquire(30s, asio::use_future)); }
  std::future<hold> wait() { return lock.acquire(asio::use_future); }

  void wait_for_entries(std::size_t count) {
    wait_until([&] { return entries(witness, path) == count; });
  }

  std::vector<std::string> line() { return entries_in_line(witness, path); }

  static client_options options(std::string identity) {
    auto result = options_for(shared_server().address());
    result.identity = std::move(identity);
    return result;
  }

  mutex lock{zk, path};
};

/// Starts a program that uses the shared server.
inline peer start_peer(library which, std::chrono::milliseconds session_timeout = 6s) {
  return {which, shared_server().address(), session_timeout};
}

} // namespace zklock::test
