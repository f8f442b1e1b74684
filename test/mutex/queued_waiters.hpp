#pragma once

#include "support/world.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace zklock::test {

/// Many waiters for a lock, and the most nodes that they had at a time.
struct queued_waiters {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  client_options options = options_for(shared_server().address());
  std::string path = fresh_path();
  std::vector<int> order;
  std::size_t most_nodes = 0;

  /// Counts the entries while it holds the lock.
  asio::awaitable<void> join_line(mutex lock, int waiter) {
    hold held = co_await lock.acquire(60s);
    order.push_back(waiter);
    for (int i = 0; i < 2; ++i) {
      most_nodes = std::max(most_nodes, entries(witness, std::string(lock.path())));
      co_await asio::post(io, asio::use_awaitable);
    }
    // Some count again while the next waiter holds already.
    if (waiter % 3 == 0) co_await held.release();
  }

  std::vector<asio::awaitable<void>> waiters(const mutex& lock, int count) {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < count; ++i)
      all.push_back(join_line(lock, i));
    return all;
  }
};

} // namespace zklock::test
