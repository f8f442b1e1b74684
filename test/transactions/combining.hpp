#pragma once

#include "support/counted_client.hpp"
#include "support/requests_sent.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace zklock::test {

/// A client with many locks, each used so often that its writes may be combined.
struct combining_scene {
  explicit combining_scene(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      locks.emplace_back(zk, path + '/' + std::to_string(i));
    for (int i = 0; i < 3; ++i)
      all([](hold) {});
    settle();
  }

  /// Acquires all locks at once, and gives each hold to a function.
  template <class Function>
  void all(Function function) {
    std::size_t left = locks.size();
    for (auto& lock : locks)
      lock.acquire(30s, [&](error_code error, hold got) {
        BOOST_TEST(!error);
        function(std::move(got));
        --left;
      });
    run_until(io, [&] { return left == 0; });
  }

  std::string line(std::size_t which) const { return path + '/' + std::to_string(which); }

  std::size_t count_entries() {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < locks.size(); ++i)
      sum += entries(witness, line(i));
    return sum;
  }

  /// Waits until nothing is left, and forgets the requests by then.
  void settle() {
    run_until(io, [&] { return count_entries() == 0; });
    door.reset_counts();
  }

  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  client zk{io, options_for(door.address(), 60s)};
  const std::string path = fresh_path();
  std::vector<mutex> locks;
};

} // namespace zklock::test
