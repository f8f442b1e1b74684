// Children of a lock's directory that look like entries, but were made by no waiter.
#include "support/scene.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(foreign_children, one_lock, *boost::unit_test::timeout(60))

// For example another lock: /jobs/lock-2024010100 beside /jobs.
BOOST_AUTO_TEST_CASE(child_with_a_number_never_given_out_is_no_entry) {
  const auto child = path + "/lock-2024010100";
  witness.create_all(child);
  run(io, [&]() -> asio::awaitable<void> {
    BOOST_TEST((co_await lock.participants()).empty());
    BOOST_TEST(co_await lock.count_waiting() == 0u);
    BOOST_TEST(co_await lock.break_lock() == 0u);
    BOOST_TEST(witness.exists(child).has_value());
    hold tried = co_await lock.try_acquire();
    co_await tried.release();

    hold first = co_await lock.acquire(10s);
    hold second;
    asio::co_spawn(io, lock.acquire(30s, asio::use_awaitable),
                   [&](std::exception_ptr, hold got) { second = std::move(got); });
    co_await wait_for_entries(witness, path, 3);
    BOOST_TEST((co_await lock.participants()).size() == 2u);
    BOOST_TEST(first.owns_lock());
    co_await first.release();
    const auto passed_on = [&] { return second.owns_lock(); };
    co_await eventually(passed_on);
    co_await second.release();
    co_await wait_for_entries(witness, path, 1);
  });
}

BOOST_AUTO_TEST_CASE(child_with_a_negative_number_is_waited_for) {
  for (const std::string_view name :
       {"a-lock--000000001", "a-lock--000000002", "a-lock--2147483648"}) {
    const auto child = path + '/' + std::string(name);
    witness.create_all(child);
    run(io, [&]() -> asio::awaitable<void> {
      BOOST_TEST(!(co_await lock.try_acquire()));
      hold held;
      asio::co_spawn(io, lock.acquire(30s, asio::use_awaitable),
                     [&](std::exception_ptr, hold got) { held = std::move(got); });
      const auto watched = [&] { return is_watched(child); };
      co_await eventually(watched);
      BOOST_TEST(!held.owns_lock());
      witness.remove(child);
      const auto granted = [&] { return held.owns_lock(); };
      co_await eventually(granted);
      co_await held.release();
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
