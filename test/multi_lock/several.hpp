#pragma once

#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace zklock::test {

/// Two clients, several locks, and a raw client that observes them.
struct several : two_clients {
  const std::string a = path + "/a";
  const std::string b = path + "/b";
  const std::string c = path + "/c";

  several()
      : two_clients({.ours = attentive(shared_server().address()),
                     .theirs = attentive(shared_server().address())}) {
    witness.add_auth("digest", "owner:secret");
  }

  /// Options with checks so frequent that a deleted node is noticed soon.
  static client_options attentive(const std::string& servers,
                                  std::chrono::milliseconds session_timeout = 6s) {
    auto options = options_for(servers, session_timeout);
    options.check_interval = 100ms;
    return options;
  }

  std::vector<any_lock> all_of(const client& user) {
    return {mutex(user, a), mutex(user, b), mutex(user, c)};
  }

  asio::awaitable<void> nothing_left() {
    for (const auto& each : {a, b, c})
      co_await wait_for_entries(witness, each, 0);
  }

  /// Creates a directory with `rights` for other clients: 1 read, 4 create.
  void make(const std::string& node, int rights) {
    witness.create_all(path);
    witness.create(node, {}, testing::create_mode::persistent,
                   {testing::creator_access(), {rights, "world", "anyone"}});
    // The very first entry of a directory needs no list.
    witness.remove(
        witness.create(node + "/lock-", {}, testing::create_mode::persistent_sequential));
  }

  void delete_entries(const std::string& directory) {
    for (const auto& name : witness.children(directory))
      witness.remove(directory + "/" + name);
  }
};

} // namespace zklock::test
