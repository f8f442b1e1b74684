#pragma once

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <deque>

namespace bench {

/// Execution contexts, each with threads of its own.
class contexts {
 public:
  contexts(std::size_t size, std::size_t threads_of_each);

  /// Returns the context of a waiter or a client. Waiters, and clients, take the contexts in turn.
  boost::asio::io_context& operator[](std::size_t user) { return all_[user % all_.size()]; }

  std::size_t threads() const { return all_.size() * threads_of_each_; }

  /// Blocks until all contexts are stopped, or have nothing left to do.
  void run();

  void stop();

 private:
  std::deque<boost::asio::io_context> all_;
  std::size_t threads_of_each_;
};

} // namespace bench
