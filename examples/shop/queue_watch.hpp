#pragma once

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <vector>

/// Follows the queue of the lock, without being in it.
class queue_watch {
 public:
  using entries = std::vector<zklock::participant>;

  /// `changed` is called with the former entries when another entry holds.
  queue_watch(const zklock::client& client, std::function<void(const entries&)> changed);

  /// Looks at the queue again and again.
  boost::asio::awaitable<void> run();

  /// Returns the holder and the waiters as they were at the last look, in FIFO order.
  const entries& line() const { return line_; }

  /// Returns why the queue cannot be seen now; empty if it can.
  const std::string& trouble() const { return trouble_; }

 private:
  zklock::mutex lock_;
  std::function<void(const entries&)> changed_;
  entries line_;
  std::string trouble_;
};
