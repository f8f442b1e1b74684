// Semaphores: several permits, acquired all or none.
#include "support/scene.hpp"
#include "support/stat_of.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct semaphore_scene : two_clients {
  asio::awaitable<void> wait_until_empty() {
    co_await wait_for_entries(witness, path + "/leases", 0);
    co_await wait_for_entries(witness, path + "/locks", 0);
  }
};

struct pool {
  int limit;
  int used = 0;
  int most = 0;
  int visits = 0;

  asio::awaitable<void> visit(int permits) {
    ++visits;
    used += permits;
    most = std::max(most, used);
    const auto executor = co_await asio::this_coro::executor;
    for (int i = 0; i < 5; ++i)
      co_await asio::post(executor, asio::use_awaitable);
    used -= permits;
  }
};

asio::awaitable<void> come_and_go(semaphore lock, pool& shared, unsigned seed, int turns) {
  std::minstd_rand random(seed);
  for (int i = 0; i < turns; ++i) {
    const int permits = 1 + static_cast<int>(random()) % shared.limit;
    hold held = co_await lock.acquire(permits, 60s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
    co_await shared.visit(permits);
    if (i % 2 == 0) co_await held.release(asio::use_awaitable);
  }
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(semaphores, semaphore_scene, *boost::unit_test::timeout(120))

// Without all or none, two waiters for many permits could each hold a part forever.
BOOST_AUTO_TEST_CASE(clients_together_never_exceed_the_limit) {
  pool shared{.limit = 5};
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 5), theirs(other, path, 5);
    std::vector<asio::awaitable<void>> all;
    for (unsigned i = 0; i < 12; ++i)
      all.push_back(come_and_go(i % 2 == 0 ? ours : theirs, shared, i + 1, 20));
    co_await together(std::move(all));
    co_await wait_until_empty();
  });
  BOOST_TEST(shared.visits == 12 * 20);
  BOOST_TEST(shared.most <= 5);
  BOOST_TEST(shared.most > 1);
}

BOOST_AUTO_TEST_CASE(permits_are_nodes_where_curator_has_them) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, 3);
    hold held = co_await lock.acquire(2, 10s, asio::use_awaitable);
    BOOST_TEST(held.node().starts_with(path + "/leases/_c_"));
    BOOST_TEST(held.node().find("-lease-") != std::string::npos);
    BOOST_TEST(entries(witness, path + "/leases") == 2u);
    BOOST_TEST(entries(witness, path + "/locks") == 0u);
    BOOST_TEST(stat_of(witness, held.node()).czxid == held.token().transaction());
    co_await held.release(asio::use_awaitable);
    BOOST_TEST(entries(witness, path + "/leases") == 0u);
  });
}

BOOST_AUTO_TEST_CASE(permits_are_acquired_all_or_none_and_in_fifo_order) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 3), theirs(other, path, 3);
    hold first = co_await ours.acquire(2, 10s, asio::use_awaitable);
    std::vector<int> order;
    asio::co_spawn(io, join_line(theirs.permits(3), order, 1), asio::detached);
    co_await wait_for_entries(witness, path + "/locks", 1);
    asio::co_spawn(io, join_line(ours.permits(1), order, 2), asio::detached);
    co_await wait_for_entries(witness, path + "/locks", 2);
    BOOST_TEST(order.empty());
    BOOST_TEST(entries(witness, path + "/leases") == 2u);
    co_await first.release(asio::use_awaitable);
    co_await eventually([&] { return order.size() == 2; });
    BOOST_TEST(order == (std::vector<int>{1, 2}), boost::test_tools::per_element());
    co_await wait_until_empty();
  });
}

BOOST_AUTO_TEST_CASE(tokens_rise) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, 2);
    fencing_token last;
    for (int i = 0; i < 10; ++i) {
      const hold held = co_await lock.acquire(1 + i % 2, 10s, asio::use_awaitable);
      BOOST_TEST((held.token() > last));
      last = held.token();
    }
  });
}

BOOST_AUTO_TEST_CASE(try_does_not_wait_for_permits) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 3), theirs(other, path, 3);
    hold first = co_await ours.acquire(2, 10s, asio::use_awaitable);
    any_lock two = theirs.permits(2);
    BOOST_TEST(!(co_await two.try_acquire()));
    BOOST_TEST(!(co_await theirs.try_acquire(2)));
    hold one = co_await theirs.try_acquire(asio::use_awaitable);
    BOOST_TEST(one.owns_lock());
    // Several tries at once, with room for all of them.
    co_await first.release(asio::use_awaitable);
    std::vector<asio::awaitable<void>> tries;
    const auto take = [](semaphore lock) -> asio::awaitable<void> {
      const hold taken = co_await lock.try_acquire(asio::use_awaitable);
    };
    tries.push_back(take(ours));
    tries.push_back(take(ours));
    co_await together(std::move(tries));
  });
}

BOOST_AUTO_TEST_CASE(waiter_that_gave_up_leaves_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 2), theirs(other, path, 2);
    hold first = co_await ours.acquire(1, 10s, asio::use_awaitable);
    const auto [error, none] = co_await theirs.acquire(2, 200ms, as_result);
    BOOST_TEST((error == errc::timed_out));
    co_await wait_for_entries(witness, path + "/locks", 0);
    BOOST_TEST(entries(witness, path + "/leases") == 1u);
    hold second = co_await theirs.acquire(1, 10s, asio::use_awaitable);
    BOOST_TEST(second.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(closed_client_releases_its_permits) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 2), theirs(other, path, 2);
    hold first = co_await ours.acquire(2, 10s, asio::use_awaitable);
    std::vector<int> order;
    asio::co_spawn(io, join_line(theirs, order, 1), asio::detached);
    co_await wait_for_entries(witness, path + "/locks", 1);
    co_await zk.close(asio::use_awaitable);
    co_await eventually([&] { return order.size() == 1; });
  });
}

BOOST_AUTO_TEST_CASE(hold_is_lost_when_a_permit_is_deleted_by_hand) {
  asio::io_context quick{1};
  auto options = options_for(shared_server().address());
  options.check_interval = 100ms;
  client checking(quick, options);
  run(quick, [&]() -> asio::awaitable<void> {
    semaphore lock(checking, path, 3);
    hold held = co_await lock.acquire(2, 10s, asio::use_awaitable);
    witness.remove(held.node());
    const error_code why = co_await held.wait_lost(asio::use_awaitable);
    BOOST_TEST((why == errc::entry_deleted));
    co_await wait_until_empty();
  });
}

BOOST_AUTO_TEST_CASE(connection_lost_while_permits_are_acquired_keeps_the_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 2), theirs(other, path, 2);
    pool shared{.limit = 2};
    std::vector<asio::awaitable<void>> all;
    for (unsigned i = 0; i < 6; ++i)
      all.push_back(come_and_go(i % 2 == 0 ? ours : theirs, shared, i + 1, 15));
    bool over = false;
    const auto cut = [&]() -> asio::awaitable<void> {
      for (int last = -1; !over;) {
        co_await eventually([&] { return over || shared.visits >= last + 8; });
        last = shared.visits;
        shared_server().clients().cut();
      }
    };
    const auto work = [&]() -> asio::awaitable<void> {
      co_await together(std::move(all));
      over = true;
    };
    std::vector<asio::awaitable<void>> both;
    both.push_back(cut());
    both.push_back(work());
    co_await together(std::move(both));
    BOOST_TEST(shared.most <= 2);
    BOOST_TEST(shared.visits == 6 * 15);
    co_await wait_until_empty();
  });
}

// Carried out or not, the transaction gives the permits once.
BOOST_AUTO_TEST_CASE(lost_answer_leaves_the_number_of_permits_right) {
  using testing::operation;
  for (const bool done : {false, true}) {
    client behind(io, options_for(door.address()));
    run(io, [&]() -> asio::awaitable<void> {
      semaphore lock(behind, path, 2);
      { const hold first = co_await lock.acquire(10s, asio::use_awaitable); }
      co_await wait_until_empty();
      const auto hook = done ? testing::relay_hooks(door).cut_before_reply(operation::multi)
                             : testing::relay_hooks(door).cut_before_request(operation::multi);
      hold held = co_await lock.acquire(2, 30s, asio::use_awaitable);
      BOOST_TEST(held.owns_lock());
      BOOST_TEST(hook.fired());
      BOOST_TEST(entries(witness, path + "/leases") == 2u);
      BOOST_TEST(entries(witness, path + "/locks") == 0u);
      BOOST_TEST(stat_of(witness, held.node()).czxid == held.token().transaction());
      co_await held.release(asio::use_awaitable);
      co_await wait_until_empty();
    });
  }
}

BOOST_AUTO_TEST_CASE(impossible_limit_is_refused) {
  for (const std::int64_t limit : {-1, 0, 1001})
    BOOST_CHECK_EXCEPTION(
        semaphore(zk, path, limit), boost::system::system_error, [&](const auto& error) {
          return error.code() == errc::bad_permits &&
                 std::string(error.what()).find(std::to_string(limit)) != std::string::npos;
        });
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, 3);
    for (const int permits : {-1, 0, 4}) {
      const auto [error, none] = co_await lock.acquire(permits, 10s, as_result);
      BOOST_TEST((error == errc::bad_permits));
    }
    BOOST_TEST(!witness.exists(path).has_value());
  });
}

// Each count is from 1 to 3 in its lowest 8, 16 or 32 bits.
BOOST_AUTO_TEST_CASE(impossible_count_of_permits_is_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, 3);
    const auto refused = [&](any_lock many) -> asio::awaitable<void> {
      const auto [waited, none] = co_await many.acquire(10s, as_result);
      BOOST_TEST((waited == errc::bad_permits));
      const auto [tried, nothing] = co_await many.try_acquire(as_result);
      BOOST_TEST((tried == errc::bad_permits));
    };
    std::vector<std::int64_t> counts{std::numeric_limits<std::int64_t>::min() + 1,
                                     std::numeric_limits<std::int64_t>::max()};
    for (const unsigned bits : {8u, 16u, 32u, 48u})
      for (const int sign : {1, -1})
        counts.push_back(sign * (std::int64_t{1} << bits) + 1);
    for (const auto count : counts) {
      // A named object: gcc 12 destroys temporaries of an expression that has a co_await in it
      // twice.
      const any_lock many = lock.permits(count);
      co_await refused(many);
    }
    const auto [error, none] =
        co_await lock.acquire(std::numeric_limits<std::uint64_t>::max(), 10s, as_result);
    BOOST_TEST((error == errc::bad_permits));
    const auto [wide, nothing] = co_await lock.acquire((std::int64_t{1} << 32) + 1,
                                                       acquire_options{.timeout = 10s}, as_result);
    BOOST_TEST((wide == errc::bad_permits));
    BOOST_TEST(!witness.exists(path).has_value());
  });
  BOOST_CHECK_THROW(semaphore(zk, path, (std::int64_t{1} << 32) + 1), boost::system::system_error);
}

BOOST_AUTO_TEST_SUITE_END()
