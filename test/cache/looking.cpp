// A cached lock is listed, requested and broken.
#include "cache/caching.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>

using namespace zklock;
using namespace zklock::test;

namespace {

struct looking_at_kept : caching_scene {
  asio::awaitable<participant> first() {
    const auto all = co_await theirs.participants();
    co_return all.at(0);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(looking_at_lock_caches, looking_at_kept, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(cached_entry_is_listed_as_a_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto all = co_await theirs.participants();
    BOOST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].is_holder);
    BOOST_TEST(all[0].session_id == zk.session_id());
    BOOST_TEST(co_await theirs.count_waiting() == 0u);
    const auto found = co_await other.find_locks(path);
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].path == path);
    BOOST_REQUIRE(found[0].participants.size() == 1u);
    BOOST_TEST(found[0].participants[0].node == all[0].node);
    // The client itself knows better.
    BOOST_TEST((co_await zk.held_locks()).empty());
    BOOST_TEST((co_await zk.awaited_locks()).empty());
    BOOST_TEST(zk.cached() == 1u);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.node() == all[0].node);
    BOOST_TEST(held.token().transaction() == all[0].token.transaction());
    BOOST_TEST((co_await zk.held_locks()).size() == 1u);
    BOOST_TEST(zk.cached() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(turns_of_a_cached_entry_change_no_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto holder = co_await theirs.wait_holder_changed(std::nullopt);
    BOOST_REQUIRE(holder.has_value());
    pending<std::optional<participant>> changed;
    theirs.wait_holder_changed(holder, changed.token());
    for (int i = 0; i < 10; ++i)
      co_await warm();
    // Behind the list of the wait.
    co_await theirs.count_waiting();
    BOOST_TEST(!changed.done());
    BOOST_TEST(zk.cached() == 1u);
    co_await zk.evict_cached();
    const auto [error, next] = co_await changed.get();
    BOOST_TEST(!error);
    BOOST_TEST(!next.has_value());
  });
}

BOOST_AUTO_TEST_CASE(entry_whose_release_was_requested_is_deleted_when_it_is_released) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    const auto holder = co_await first();
    co_await theirs.request_release(holder);
    BOOST_TEST(!std::get<0>(co_await request.get()));
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(entries(witness, path) == 0u);
    // The next entry is new, with the client's identity and without a release request.
    const hold next = co_await lock.acquire(10s);
    BOOST_TEST(next.node() != holder.node);
    BOOST_TEST(!(co_await first()).release_requested);
  });
}

BOOST_AUTO_TEST_CASE(request_that_a_hold_did_not_wait_for_is_not_told_to_the_next_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    co_await theirs.request_release(co_await first());
    // Behind the event.
    co_await lock.count_waiting();
    co_await held.release();
    BOOST_TEST(entries(witness, path) == 0u);
    const hold next = co_await lock.acquire(10s);
    pending<std::string> request;
    next.wait_release_requested(request.token());
    const auto watched = [&] { return is_watched(next.node()); };
    co_await eventually(watched);
    co_await lock.count_waiting();
    BOOST_TEST(!request.done());
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_whose_release_is_requested_is_deleted_at_once) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto cached = std::chrono::steady_clock::now();
    const auto holder = co_await first();
    co_await theirs.request_release(holder);
    co_await wait_for_entries(witness, path, 0);
    // Without a request it would be cached for 3 s.
    BOOST_TEST((std::chrono::steady_clock::now() - cached < 2s));
    BOOST_TEST(zk.cached() == 0u);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.node() != holder.node);
  });
}

// As Curator's Revoker writes the request.
BOOST_AUTO_TEST_CASE(request_without_an_identity_revokes_an_entry_that_other_threads_use) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    const auto holder = co_await first();
    hold held = co_await lock.acquire(10s);
    pending<hold> waiting;
    lock.acquire(30s, waiting.token());
    witness.set(holder.node, "__REVOKE__");
    // The waiter gets an entry of its own.
    co_await wait_for_entries(witness, path, 2);
    BOOST_TEST(!waiting.done());
    co_await held.release();
    auto [error, next] = co_await waiting.get();
    BOOST_TEST(!error);
    BOOST_TEST(next.node() != holder.node);
    BOOST_TEST((co_await first()).identity == holder.identity);
  });
}

BOOST_AUTO_TEST_CASE(readers_release_the_entry_that_was_requested) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex both(zk, path + "-rw");
    {
      const hold one = co_await both.acquire_shared(10s);
      const hold two = co_await both.acquire_shared(10s);
    }
    {
      const hold one = co_await both.acquire_shared(10s);
      const hold two = co_await both.acquire_shared(10s);
    }
    const auto both_cached = [&] { return zk.cached() == 2; };
    co_await eventually(both_cached);
    const auto nodes = entries_in_line(witness, path + "-rw");
    witness.set(nodes.at(1), "__REVOKE__");
    co_await wait_for_entries(witness, path + "-rw", 1);
    BOOST_TEST(entries_in_line(witness, path + "-rw").at(0) == nodes.at(0));
    BOOST_TEST(zk.cached() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(watch_for_release_requests_costs_a_request_for_each_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await lock.count_waiting();
    requests_sent(door);
    co_await zk.evict_cached();
    const hold first_use = co_await lock.acquire(10s);
    co_await lock.count_waiting();
    BOOST_TEST(requests_sent(door) == "create=1 list=2 get=1 remove=1");
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_broken_by_another_client) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    BOOST_TEST(co_await theirs.break_lock() == 1u);
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(witness.exists(held.node()).has_value());
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_broken_by_its_client) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    BOOST_TEST(co_await lock.break_lock() == 1u);
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(witness.exists(held.node()).has_value());
  });
}

BOOST_AUTO_TEST_CASE(hold_of_a_cached_entry_is_broken) {
  client ours(io, attentive());
  run(io, [&]() -> asio::awaitable<void> {
    mutex used(ours, path);
    co_await keep(used);
    const hold held = co_await used.acquire(10s);
    pending<error_code> lost;
    held.wait_lost(lost.token());
    pending<hold> next;
    theirs.acquire(60s, next.token());
    co_await wait_for_entries(witness, path, 2);
    BOOST_TEST(co_await theirs.break_lock() == 1u);
    const auto [error, got] = co_await next.get();
    BOOST_TEST(!error);
    BOOST_TEST((got.token() > held.token()));
    const auto [none, reason] = co_await lost.get();
    BOOST_TEST((reason == errc::entry_deleted));
    BOOST_TEST(ours.cached() == 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()
