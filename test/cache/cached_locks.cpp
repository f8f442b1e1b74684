// client_options::lock_cache: a client caches its entry while no other client wants the lock.
#include "cache/caching.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(lock_caches, caching_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(cached_lock_is_acquired_without_a_request) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    requests_sent(door);
    auto newest = fencing_token();
    for (int i = 0; i < 1'000; ++i) {
      hold held = co_await lock.acquire(10s);
      BOOST_TEST((held.token() > newest));
      newest = held.token();
      co_await held.release();
    }
    BOOST_TEST(requests_sent(door) == "");
    BOOST_TEST(entries(witness, path) == 1u);
    BOOST_TEST(zk.stats().total.handed_over == 1'001u);
  });
}

BOOST_AUTO_TEST_CASE(entry_is_not_cached_without_the_option) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(theirs);
    co_await keep(theirs);
    BOOST_TEST(other.cached() == 0u);
    BOOST_TEST(entries(witness, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_revoked_while_it_is_not_used) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto ours = (co_await lock.acquire(10s)).token();
    hold held = co_await theirs.acquire(10s);
    BOOST_TEST((held.token() > ours));
    BOOST_TEST(zk.cached() == 0u);
    co_await held.release();
    const hold again = co_await lock.acquire(10s);
    BOOST_TEST((again.token() > held.token()));
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_revoked_after_the_present_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    pending<hold> waiting;
    theirs.acquire(60s, waiting.token());
    co_await wait_for_entries(witness, path, 2);
    pending<hold> late;
    lock.acquire(60s, late.token());
    co_await wait_for_entries(witness, path, 3);
    co_await held.release();
    auto [error, got] = co_await waiting.get();
    BOOST_TEST(!error);
    BOOST_TEST(!late.done());
    co_await got.release();
    const auto [late_error, last] = co_await late.get();
    BOOST_TEST(!late_error);
    BOOST_TEST((last.token() > got.token()));
  });
}

BOOST_AUTO_TEST_CASE(try_of_another_client_gets_an_unused_cached_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await theirs.try_acquire();
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(zk.cached() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(try_of_another_client_finds_a_cached_lock_in_use_busy) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    BOOST_TEST(!(co_await theirs.try_acquire()));
    // The client was told of the try, though the entry of the try is gone.
    co_await held.release();
    BOOST_TEST(zk.cached() == 0u);
    const hold next = co_await theirs.try_acquire();
    BOOST_TEST(next.owns_lock());
  });
}

// As Curator's acquire with a timeout of zero: an entry is created, and deleted if it is not the
// first.
BOOST_AUTO_TEST_CASE(foreign_entry_that_is_gone_at_once_revokes_the_cached_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    witness.remove(witness.create(path + "/lock-", {}, testing::create_mode::ephemeral_sequential));
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(try_gets_a_lock_that_its_client_caches) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    requests_sent(door);
    const hold held = co_await lock.try_acquire();
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(!(co_await lock.try_acquire()));
    BOOST_TEST(requests_sent(door) == "");
  });
}

BOOST_AUTO_TEST_CASE(entry_is_not_cached_for_a_second_after_a_conflict) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto conflict = std::chrono::steady_clock::now();
    co_await keep(theirs);
    while (zk.cached() == 0)
      co_await keep(lock);
    BOOST_TEST((std::chrono::steady_clock::now() - conflict >= 1s));
  });
}

BOOST_AUTO_TEST_CASE(readers_of_two_clients_cache_entries_until_another_client_writes) {
  client reader(io, caching(shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex ours(zk, path + "-rw");
    shared_mutex reads(reader, path + "-rw");
    shared_mutex writes(other, path + "-rw");
    co_await keep(ours.shared());
    co_await keep(reads.shared());
    BOOST_TEST(zk.cached() == 1u);
    BOOST_TEST(reader.cached() == 1u);
    hold one = co_await ours.shared().acquire(10s);
    const hold two = co_await reads.shared().acquire(10s);
    BOOST_TEST((one.owns_lock() && two.owns_lock()));
    co_await one.release();
    pending<hold> writer;
    writes.acquire(60s, writer.token());
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    BOOST_TEST(!writer.done());
    BOOST_TEST(two.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(own_writer_does_not_wait_for_a_cached_reader) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex both(zk, path + "-rw");
    co_await keep(both.shared());
    BOOST_TEST(zk.cached() == 1u);
    const hold held = co_await both.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(commit_is_guarded_by_the_cached_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    transaction writes;
    writes.create(path + "-data", "x");
    co_await held.commit(writes);
    BOOST_TEST(witness.exists(path + "-data").has_value());
    witness.remove(held.node());
    transaction late;
    late.set(path + "-data", "y");
    const auto result = co_await held.commit(late, as_result);
    BOOST_TEST((std::get<0>(result) == errc::entry_deleted));
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_that_was_deleted_is_not_granted) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    witness.remove(path + '/' + witness.children(path).front());
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(witness.exists(held.node()).has_value());
  });
}

BOOST_AUTO_TEST_CASE(permits_and_candidates_are_not_cached) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore permits(zk, path + "-permits", 2);
    co_await keep(permits);
    co_await keep(permits);
    election first(zk, path + "-leader");
    for (int i = 0; i < 3; ++i)
      co_await first.run([](const hold&) -> asio::awaitable<void> { co_return; },
                         asio::use_awaitable);
    BOOST_TEST(zk.cached() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(owner_and_multi_lock_use_cached_entries) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    requests_sent(door);
    const owner me;
    hold first = co_await lock.acquire({.owner = me});
    hold second = co_await lock.acquire({.owner = me});
    co_await first.release();
    co_await second.release();
    multi_lock all(lock);
    multi_hold held = co_await all.acquire(10s);
    co_await held.release();
    BOOST_TEST(requests_sent(door) == "");
    BOOST_TEST(zk.cached() == 1u);
  });
}

BOOST_AUTO_TEST_SUITE_END()
