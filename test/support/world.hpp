#pragma once

#include <zklock/testing/server.hpp>
#include <zklock/zklock.hpp>

#include "support/raw_client.hpp"
#include "support/run.hpp"
#ifdef ZKLOCK_TEST_MEMORY_SERVER
#  include "support/relayed_memory_server.hpp"
#endif

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

namespace zklock {

/// Prints a code for Boost.Test.
inline std::ostream& boost_test_print_type(std::ostream& out, errc value) {
  return out << make_error_code(value) << " (" << make_error_code(value).message() << ')';
}

} // namespace zklock

namespace zklock::test {

#ifdef ZKLOCK_TEST_MEMORY_SERVER
using test_server = relayed_memory_server;
#else
using test_server = testing::server;
#endif

/// The longest session timeout that `shared_server` grants.
inline constexpr std::chrono::milliseconds longest_session_timeout = 1h;

// A test may count the deletes of empty containers, and take longer than a minute.
#ifndef ZKLOCK_TEST_CONTAINER_CHECK_INTERVAL
#  define ZKLOCK_TEST_CONTAINER_CHECK_INTERVAL 1h
#endif

/// The server that the tests of a program share, started at first use. The server keeps the session
/// of a silent `raw_client` until a test has ended.
inline test_server& shared_server() {
  static test_server instance({.max_session_timeout = longest_session_timeout,
                               .container_check_interval = ZKLOCK_TEST_CONTAINER_CHECK_INTERVAL});
  return instance;
}

/// A path that no other test uses.
inline std::string fresh_path(const std::string& name = "lock") {
  static int count = 0;
  return "/test/" + name + "-" + std::to_string(++count);
}

/// Options that suit the test servers. Their tick is half a second.
inline client_options options_for(const std::string& servers,
                                  std::chrono::milliseconds session_timeout = 6s) {
  return {.servers = servers, .session_timeout = session_timeout, .server_tick = 500ms};
}

/// Counts entries through a session of its own.
inline std::size_t entries(testing::raw_client& witness, const std::string& path) {
  witness.sync(path);
  return witness.exists(path) ? witness.children(path).size() : 0;
}

/// Waits inside a coroutine until a lock's directory has this many children.
inline asio::awaitable<void> wait_for_entries(testing::raw_client& witness, std::string path,
                                              std::size_t count) {
  const auto there = [&witness, &path, count] { return entries(witness, path) == count; };
  co_await eventually(there);
}

/// Whether a watch is set on a node.
inline bool is_watched(const std::string& node) {
  const auto watched = '\n' + shared_server().four_letter_word("wchp");
  return watched.find('\n' + node + '\n') != watched.npos;
}

/// Acquires a lock, and appends this waiter's number to the order of the grants.
inline asio::awaitable<void> join_line(any_lock lock, std::vector<int>& order, int waiter) {
  const hold held = co_await lock.acquire(60s, asio::use_awaitable);
  order.push_back(waiter);
}

} // namespace zklock::test
