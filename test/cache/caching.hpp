#pragma once

#include "inspect/looking.hpp"
#include "support/requests_sent.hpp"

#include <string>

namespace zklock::test {

/// Two clients of a lock. `zk` caches its entry while `other` does not want the lock.
struct caching_scene : two_clients {
  caching_scene()
      : two_clients({.ours = caching(behind_door),
                     .theirs = options_for(shared_server().address(), 30s)}) {}

  mutex lock{zk, path};
  mutex theirs{other, path};

  static client_options caching(const std::string& servers,
                                std::chrono::milliseconds idle_limit = 30s) {
    // Checks are so rare that only the locks themselves send requests.
    auto options = options_for(servers, 30s);
    options.check_interval = 11s;
    options.lock_cache = {.idle_limit = idle_limit};
    return options;
  }

  /// Checks are so frequent that a deleted node of a hold is noticed soon.
  static client_options attentive() {
    auto options = caching(shared_server().address());
    options.check_interval = 100ms;
    return options;
  }

  /// Uses a lock so often that its entry is cached.
  static asio::awaitable<void> keep(any_lock used) {
    for (int i = 0; i < 2; ++i) {
      hold held = co_await used.acquire(10s, asio::use_awaitable);
      co_await held.release(asio::use_awaitable);
    }
  }

  /// Uses the lock once more: from then on its client hears of other clients.
  asio::awaitable<void> warm() {
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    co_await held.release(asio::use_awaitable);
  }
};

} // namespace zklock::test
