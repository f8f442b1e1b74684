#pragma once

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <deque>
#include <random>
#include <string>
#include <vector>

/// Simulated users of a few locks, which keep the figures moving: most are granted, some wait, some
/// find the lock busy, and a few time out behind a long work.
class workload {
 public:
  /// Uses a lock at `/locks/NAME` for each name. A user holds it for `work` on average, in
  /// milliseconds.
  workload(zklock::client& client, const std::vector<std::string>& names,
           std::chrono::milliseconds work);

  /// Starts so many users for each lock. They end once the client is closed.
  void start(int users);

 private:
  boost::asio::awaitable<void> use(zklock::mutex& lock);
  boost::asio::awaitable<void> pause(std::chrono::duration<double> average);

  zklock::client& client_;
  // Does not move its elements.
  std::deque<zklock::mutex> locks_;
  std::chrono::milliseconds work_;
  std::mt19937_64 random_{std::random_device()()};
};
