// A cached entry is evicted or dropped, besides being revoked by other clients.
#include "cache/caching.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <list>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(ends_of_lock_caches, caching_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(evict_cached_deletes_all_cached_entries) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await keep(mutex(zk, path + "-2"));
    BOOST_TEST(zk.cached() == 2u);
    co_await zk.evict_cached();
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(entries(witness, path) == 0u);
    BOOST_TEST(entries(witness, path + "-2") == 0u);
    co_await zk.evict_cached();
  });
}

// Also if the hold was granted, and is released, without the strand.
BOOST_AUTO_TEST_CASE(evict_cached_leaves_a_lock_in_use_alone) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    hold held = co_await lock.acquire(10s);
    co_await zk.evict_cached();
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(entries(witness, path) == 1u);
    co_await held.release();
    BOOST_TEST(zk.cached() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(evict_cached_waits_for_the_servers) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    door.refuse();
    const auto cut = [&] { return !zk.connected(); };
    co_await eventually(cut);
    pending<> dropped;
    zk.evict_cached(dropped.token());
    asio::cancellation_signal stop;
    pending<> cancelled;
    zk.evict_cached(asio::bind_cancellation_slot(stop.slot(), cancelled.token()));
    stop.emit(asio::cancellation_type::total);
    const auto [aborted] = co_await cancelled.get();
    BOOST_TEST((aborted == asio::error::operation_aborted));
    BOOST_TEST(!dropped.done());
    door.accept();
    const auto [error] = co_await dropped.get();
    BOOST_TEST(!error);
    BOOST_TEST(entries(witness, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(acquire_without_keep_leaves_no_cached_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire({.cache = false});
    co_await held.release();
    BOOST_TEST(entries(witness, path) == 0u);
    BOOST_TEST(zk.cached() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_evicted_when_it_is_not_used) {
  client brief(io, caching(shared_server().address(), 20ms));
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(mutex(brief, path));
    BOOST_TEST(brief.cached() == 1u);
    co_await wait_for_entries(witness, path, 0);
    BOOST_TEST(brief.cached() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_evicted_though_the_lock_was_looked_at_while_held) {
  client brief(io, caching(shared_server().address(), 50ms));
  run(io, [&]() -> asio::awaitable<void> {
    mutex used(brief, path);
    co_await keep(used);
    hold held = co_await used.acquire(10s);
    BOOST_TEST((co_await brief.held_locks()).size() == 1u);
    // Longer than entries are cached without being used.
    BOOST_TEST((std::get<0>(co_await used.acquire(200ms, as_result)) == errc::timed_out));
    co_await held.release();
    co_await wait_for_entries(witness, path, 0);
    BOOST_TEST(brief.cached() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(lost_hold_leaves_no_cached_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const hold held = co_await lock.acquire({.hold_limit = 20ms});
    co_await wait_for_entries(witness, path, 0);
    BOOST_TEST((held.state() == hold_state::lost));
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_not_granted_without_a_connection) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    door.refuse();
    const auto cut = [&] { return !zk.connected(); };
    co_await eventually(cut);
    const auto result = co_await lock.acquire(50ms, as_result);
    BOOST_TEST(std::get<0>(result).failed());
    door.accept();
    const hold held = co_await lock.acquire(30s);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_not_granted_while_the_session_is_unproven) {
  // Returns false if the machine stops on the way for so long that the connection counts as
  // lost.
  const auto silence_in_time = [&]() -> asio::awaitable<bool> {
    auto options = caching(door.address(), 9s);
    options.session_timeout = 9s;
    options.check_interval = 3300ms;
    client unproven(io, options);
    mutex kept(unproven, path);
    mutex another(unproven, fresh_path());
    const hold first = co_await another.acquire(10s);
    co_await keep(kept);
    // A connection counts as lost 6 s after the last reply, which is at most a check interval old
    // when the silence begins. The proof of the session ends before that. The next check is still
    // half a second away: it would make the proof last longer than the cached entry.
    const auto nearly_over = [&] { return first.valid_until() - boot_clock::now() < 3s; };
    co_await eventually(nearly_over);
    // The time without use begins anew.
    co_await keep(kept);
    door.silence();
    const auto in_doubt = [&] { return !first.owns_lock(); };
    co_await eventually(in_doubt);
    const auto cached = unproven.cached();
    const bool in_time = unproven.connected();
    if (in_time) BOOST_TEST(cached == 1u);
    const auto [error, none] = co_await kept.acquire(50ms, as_result);
    BOOST_TEST((error == boost::system::errc::timed_out));
    door.heal();
    const hold held = co_await kept.acquire(60s);
    BOOST_TEST(held.owns_lock());
    co_return in_time;
  };
  run(io, [&]() -> asio::awaitable<void> {
    while (!co_await silence_in_time()) {}
  });
}

BOOST_AUTO_TEST_CASE(closed_client_caches_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await zk.close();
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(entries(witness, path) == 0u);
    const auto [error] = co_await zk.evict_cached(as_result);
    BOOST_TEST((error == errc::closed));
  });
}

BOOST_AUTO_TEST_CASE(cached_entries_take_half_of_the_budget_at_most) {
  auto options = caching(shared_server().address());
  options.max_path_bytes = 4 * 1024;
  client small(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 60; ++i)
      co_await keep(mutex(small, path + '-' + std::to_string(i)));
    const auto fits = [&] {
      return small.cached() * (path.size() + 60) <= options.max_path_bytes / 2;
    };
    co_await eventually(fits);
    BOOST_TEST(small.cached() >= 10u);
    // The entries that were used last are still cached.
    BOOST_TEST(entries(witness, path + "-59") == 1u);
    co_await wait_for_entries(witness, path + "-0", 0);
  });
}

BOOST_AUTO_TEST_CASE(cached_entries_make_room_for_acquires) {
  auto options = caching(shared_server().address());
  options.max_path_bytes = 4 * 1024;
  client small(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 10; ++i)
      co_await keep(mutex(small, path + '-' + std::to_string(i)));
    std::vector<hold> held;
    while (small.cached() != 0 && held.size() < 60)
      held.push_back(
          co_await mutex(small, path + "-held-" + std::to_string(held.size())).acquire(10s));
    BOOST_TEST(small.cached() == 0u);
    BOOST_TEST(held.size() < 60u);
  });
}

// Held entries are not cached for the next use: the client does not try to evict them again and
// again.
BOOST_AUTO_TEST_CASE(holds_may_take_more_than_half_of_the_budget) {
  auto options = caching(shared_server().address());
  options.max_path_bytes = 4 * 1024;
  client small(io, options);
  constexpr std::size_t many = 40;
  BOOST_TEST(many * (path.size() + 50) > options.max_path_bytes / 2);
  std::list<mutex> locks;
  std::vector<hold> held;
  run(io, [&]() -> asio::awaitable<void> {
    for (std::size_t i = 0; i < many; ++i) {
      auto& used = locks.emplace_back(small, path + '-' + std::to_string(i));
      co_await keep(used);
      held.push_back(co_await used.acquire(10s));
    }
  });
  std::size_t handlers = 0;
  constexpr std::size_t most = 100 * many;
  io.restart();
  while (handlers < most && io.poll_one() != 0)
    ++handlers;
  BOOST_TEST(handlers < most);
  for (const auto& each : held)
    BOOST_TEST(each.owns_lock());
}

BOOST_AUTO_TEST_CASE(lock_cache_with_an_invalid_option_is_refused) {
  for (const auto limit : {0ms, -1ms, 30'001ms}) {
    const auto make = [&] { const client bad(io, caching(shared_server().address(), limit)); };
    const auto names_it = [&](const boost::system::system_error& error) {
      const std::string text = error.what();
      return error.code() == errc::bad_option && text.find("lock_cache.idle_limit") != text.npos &&
             text.find(std::to_string(limit.count())) != text.npos;
    };
    BOOST_CHECK_EXCEPTION(make(), boost::system::system_error, names_it);
  }
}

BOOST_AUTO_TEST_CASE(entry_that_is_used_all_the_time_is_not_evicted) {
  auto options = caching(shared_server().address());
  options.max_path_bytes = 16 * 1024;
  client small(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    // Room for about 13 entries.
    const std::string prefix = path + std::string(500, 'x');
    mutex hot(small, path);
    co_await keep(hot);
    const auto token = (co_await hot.acquire(10s)).token().transaction();
    for (int i = 0; i < 60; ++i) {
      co_await keep(mutex(small, prefix + std::to_string(i)));
      const hold held = co_await hot.acquire(10s);
      BOOST_TEST(held.token().transaction() == token);
    }
    const auto few = [&] { return small.cached() <= 16; };
    co_await eventually(few);
    BOOST_TEST(small.cached() >= 8u);
    BOOST_TEST((co_await hot.acquire(10s)).token().transaction() == token);
  });
}

BOOST_AUTO_TEST_SUITE_END()
