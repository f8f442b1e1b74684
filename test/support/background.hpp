#pragma once

#include "support/world.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <source_location>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zklock::test {

/// A context that its own threads run, for tests that block: on a future, or while they break a
/// server.
class background {
 public:
  explicit background(int threads = 1) : io(threads), guard_(asio::make_work_guard(io)) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this] { io.run(); });
  }

  ~background() {
    io.stop();
    for (auto& each : threads_)
      each.join();
  }

  background(const background&) = delete;
  background& operator=(const background&) = delete;

  asio::io_context io;

 private:
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  std::vector<std::thread> threads_;
};

/// Throws an error that names the line of the test that waited.
[[noreturn]] inline void throw_timed_out(const std::source_location& where) {
  throw std::runtime_error("the condition at line " + std::to_string(where.line()) +
                           " did not hold in time");
}

/// Waits in the test's own thread until a condition holds.
template <class Condition>
void wait_until(Condition condition, std::chrono::milliseconds limit = 30s,
                const std::source_location& where = std::source_location::current()) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw_timed_out(where);
    std::this_thread::sleep_for(1ms);
  }
}

/// Waits for the result of an operation that was started with `asio::use_future`.
template <class Future>
auto get(Future&& future, const std::source_location& where = std::source_location::current()) {
  if (future.wait_for(30s) != std::future_status::ready) throw_timed_out(where);
  return future.get();
}

/// Waits for an operation that was started with `asio::use_future`, and returns its error.
template <class Future>
error_code error_of(Future&& future,
                    const std::source_location& where = std::source_location::current()) {
  try {
    static_cast<void>(get(future, where));
    return {};
  } catch (const boost::system::system_error& error) {
    return error.code();
  }
}

template <class Future>
bool is_ready(const Future& future) {
  return future.wait_for(0s) == std::future_status::ready;
}

/// Creates an entry in a lock's line as another program does, and returns its node. The entry holds
/// the lock while it is the first in line.
inline std::string create_foreign_entry(testing::raw_client& foreign, const std::string& path) {
  foreign.create_all(path);
  return foreign.create(path + "/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-", "another program",
                        testing::create_mode::ephemeral_sequential);
}

/// The nodes of the entries in a lock's line, in the order of their numbers.
inline std::vector<std::string> entries_in_line(testing::raw_client& witness,
                                                const std::string& path) {
  auto nodes = witness.children(path);
  const auto number = [](const std::string& node) { return node.substr(node.size() - 10); };
  std::sort(nodes.begin(), nodes.end(),
            [&](const auto& a, const auto& b) { return number(a) < number(b); });
  for (auto& each : nodes)
    each = path + '/' + each;
  return nodes;
}

/// Waits until a watch is set on a node: a waiter has then seen this predecessor.
inline void wait_for_watch(const std::string& node) {
  wait_until([&] { return is_watched(node); });
}

} // namespace zklock::test
