#pragma once

#include "interop/peer.hpp"
#include "support/scene.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <future>
#include <span>
#include <string>
#include <vector>

namespace zklock::test {

/// A lock that no other test uses, a client of ours for it, and a raw client that observes it.
class meeting : public blocking_scene {
 public:
  explicit meeting(std::string identity = "ours") : meeting(options(std::move(identity))) {}
  explicit meeting(client_options ours) : blocking_scene({.ours = std::move(ours), .threads = 2}) {}

  /// "VERB NAME PATH MILLISECONDS": the command to acquire something at this meeting's path.
  std::string command(const std::string& verb, const std::string& name,
                      std::chrono::milliseconds timeout = 30s) const {
    return verb + ' ' + name + ' ' + path + ' ' + std::to_string(timeout.count());
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

/// Calls a function once for each library, with a peer of the library and a new meeting.
template <typename Meeting = meeting>
void with_each(std::span<const library> libraries, std::chrono::milliseconds session_timeout,
               auto check) {
  for (const auto which : libraries) {
    BOOST_TEST_CONTEXT(which) {
      auto other = start_peer(which, session_timeout);
      Meeting m;
      check(other, m);
    }
  }
}

template <typename Meeting = meeting>
void with_each(std::span<const library> libraries, auto check) {
  with_each<Meeting>(libraries, 6s, check);
}

/// Checks that our waiter is granted the lock when a peer has released its entry, and not before.
inline void check_granted_after(peer& other, const std::string& name, std::future<hold>& waiter) {
  BOOST_TEST(!is_ready(waiter));
  other.ask("unlock " + name);
  BOOST_TEST(get(waiter).owns_lock());
}

} // namespace zklock::test
