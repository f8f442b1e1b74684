#pragma once

#include "inspect/looking.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace zklock::test {

/// The paths whose labels a client has asked for.
struct asked_labels {
  std::vector<std::string> labelled;
};

/// Two clients, `zk` behind a relay. Their labels are the last parts of the paths.
struct measured_scene : asked_labels, two_clients {
  measured_scene()
      : two_clients(
            {.ours = labelling(labelled), .theirs = options_for(shared_server().address(), 30s)}) {}

  static client_options labelling(std::vector<std::string>& asked) {
    // Checks are so rare that only other requests find deleted entries.
    auto options = options_for(behind_door, 30s);
    options.check_interval = 11s;
    options.label = [&asked](std::string_view path) {
      asked.emplace_back(path);
      return std::string(path.substr(path.rfind('/') + 1));
    };
    return options;
  }

  /// Waits inside a coroutine until a node is watched.
  static asio::awaitable<void> watched(std::string node) {
    const auto there = [&node] { return is_watched(node); };
    co_await eventually(there);
  }

  template <class Operation>
  static asio::awaitable<error_code> error_of(Operation operation) {
    const auto result = co_await std::move(operation);
    co_return std::get<0>(result);
  }

  /// Checks all counters of the total. Each acquire that was granted has a duration, and each hold
  /// that ended.
  static void expect(const stats& all, const lock_stats& wanted) { expect(all.total, wanted); }

  static void expect(const lock_stats& found, const lock_stats& wanted) {
    BOOST_TEST(found.acquired == wanted.acquired);
    BOOST_TEST(found.reentered == wanted.reentered);
    BOOST_TEST(found.handed_over == wanted.handed_over);
    BOOST_TEST(found.timed_out == wanted.timed_out);
    BOOST_TEST(found.cancelled == wanted.cancelled);
    BOOST_TEST(found.busy == wanted.busy);
    BOOST_TEST(found.failed == wanted.failed);
    BOOST_TEST(found.released == wanted.released);
    BOOST_TEST(found.lost.session_expired == wanted.lost.session_expired);
    BOOST_TEST(found.lost.entry_deleted == wanted.lost.entry_deleted);
    BOOST_TEST(found.lost.hold_limit_reached == wanted.lost.hold_limit_reached);
    BOOST_TEST(found.lost.closed == wanted.lost.closed);
    BOOST_TEST(found.lost.failed == wanted.lost.failed);
    BOOST_TEST(found.release_requests == wanted.release_requests);
    BOOST_TEST(found.holds == wanted.holds);
    BOOST_TEST(found.waiters == wanted.waiters);
    BOOST_TEST(found.waited.count == wanted.acquired);
    BOOST_TEST(found.held.count == wanted.acquired - wanted.holds);
  }
};

} // namespace zklock::test
