#pragma once

#include "support/pending.hpp"
#include "support/requests_sent.hpp"
#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace zklock::test {

/// The prefix of a Curator entry; the last character tells entries apart.
inline std::string uuid(char last) {
  std::string text("_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a1");
  text += last;
  return text;
}

/// Two clients, `other` behind the relay. The witness also acts as another program.
struct looking_scene : two_clients {
  looking_scene()
      : two_clients({.ours = named("holder", shared_server().address()),
                     .theirs = named("asker", behind_door)}) {
    witness.create_all("/test");
  }

  static client_options named(const char* identity, const std::string& servers) {
    // Checks are so rare that they add no requests, and find no deleted entries.
    auto options = options_for(servers, 30s);
    options.check_interval = 11s;
    options.identity = identity;
    return options;
  }

  asio::awaitable<void> connected() {
    const auto there = [this] { return other.connected(); };
    co_await eventually(there);
    door.reset_counts();
  }

  std::string requests_sent() { return test::requests_sent(door); }

  /// Creates an entry in line as another program does.
  std::string enter(const std::string& name, const std::string& data = "another program") {
    witness.create_all(path);
    return witness.create(path + '/' + name, data, testing::create_mode::ephemeral_sequential);
  }

  /// Waits inside a coroutine until so many answers of this kind have come since `requests_sent`.
  asio::awaitable<void> answers(testing::operation kind, std::uint64_t count) {
    const auto there = [this, kind, count] { return door.replies(kind) >= count; };
    co_await eventually(there);
  }

  /// Waits inside a coroutine until a node is watched.
  static asio::awaitable<void> watched(std::string node) {
    const auto there = [&node] { return is_watched(node); };
    co_await eventually(there);
  }
};

/// A lock of the second client, and nodes that its holder writes.
struct commit_scene : looking_scene {
  commit_scene() { witness.create_all(data); }

  const std::string data = fresh_path("data");
  mutex lock{other, path};
};

} // namespace zklock::test
