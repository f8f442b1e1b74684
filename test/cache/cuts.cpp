// Cached entries whose client loses its connection for less than the session timeout.
#include "cache/caching.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

struct cut_scene : caching_scene {
  asio::awaitable<void> cut() {
    door.refuse();
    const auto noticed = [&] { return !zk.connected(); };
    co_await eventually(noticed);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(cuts_of_lock_caches, cut_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(cached_entry_is_granted_again_after_a_reconnect) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto before = (co_await lock.acquire(10s)).token();
    co_await cut();
    pending<hold> waiting;
    lock.acquire(60s, waiting.token());
    BOOST_TEST(zk.cached() == 1u);
    door.accept();
    const auto [error, held] = co_await waiting.get();
    BOOST_TEST(!error);
    BOOST_TEST(held.token().transaction() == before.transaction());
    BOOST_TEST((held.token() > before));
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_revoked_after_a_reconnect_if_another_client_came) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto before = (co_await lock.acquire(10s)).token();
    co_await cut();
    pending<hold> waiting;
    lock.acquire(60s, waiting.token());
    pending<hold> others;
    theirs.acquire(60s, others.token());
    co_await wait_for_entries(witness, path, 2);
    BOOST_TEST((!waiting.done() && !others.done()));
    door.accept();
    auto [error, held] = co_await others.get();
    BOOST_TEST(!error);
    BOOST_TEST((held.token() > before));
    BOOST_TEST(!waiting.done());
    co_await wait_for_entries(witness, path, 2);
    co_await held.release();
    const auto [late_error, late] = co_await waiting.get();
    BOOST_TEST(!late_error);
    BOOST_TEST((late.token() > held.token()));
  });
}

// The foreign entry has come and gone. The lock is free, and no event was missed.
BOOST_AUTO_TEST_CASE(cached_entry_is_granted_again_if_another_client_came_and_gave_up) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto before = (co_await lock.acquire(10s)).token();
    co_await cut();
    witness.remove(witness.create(path + "/lock-", {}, testing::create_mode::ephemeral_sequential));
    door.accept();
    const hold held = co_await lock.acquire(30s);
    BOOST_TEST((held.token() > before));
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(hold_of_a_cached_entry_goes_on_and_is_the_last_if_another_client_came) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    co_await cut();
    BOOST_TEST((held.state() == hold_state::in_doubt));
    BOOST_TEST(held.owns_lock());
    pending<hold> others;
    theirs.acquire(60s, others.token());
    co_await wait_for_entries(witness, path, 2);
    door.accept();
    const auto proven = [&] { return held.state() == hold_state::held; };
    co_await eventually(proven);
    pending<hold> late;
    lock.acquire(60s, late.token());
    co_await wait_for_entries(witness, path, 3);
    co_await held.release();
    const auto [error, got] = co_await others.get();
    BOOST_TEST(!error);
    BOOST_TEST((got.token() > held.token()));
    BOOST_TEST(!late.done());
  });
}

// A hold released without a connection is cached, as long as no other client is known to want it.
BOOST_AUTO_TEST_CASE(hold_that_is_released_without_a_connection_leaves_the_lock_free) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    co_await cut();
    pending<> released;
    held.release(released.token());
    pending<hold> others;
    theirs.acquire(60s, others.token());
    co_await wait_for_entries(witness, path, 2);
    BOOST_TEST(!others.done());
    door.accept();
    const auto [error, got] = co_await others.get();
    BOOST_TEST(!error);
    BOOST_TEST((got.token() > held.token()));
    const auto [release_error] = co_await released.get();
    BOOST_TEST(!release_error);
  });
}

BOOST_AUTO_TEST_CASE(readers_keep_their_cached_entries_over_a_reconnect) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex ours(zk, path + "-rw");
    shared_mutex writes(other, path + "-rw");
    co_await keep(ours.shared());
    const auto before = (co_await ours.acquire_shared(10s)).token();
    co_await cut();
    door.accept();
    hold held = co_await ours.acquire_shared(30s);
    BOOST_TEST(held.token().transaction() == before.transaction());
    co_await held.release();
    co_await cut();
    pending<hold> writer;
    writes.acquire(60s, writer.token());
    co_await wait_for_entries(witness, path + "-rw", 2);
    BOOST_TEST(!writer.done());
    door.accept();
    const auto [error, got] = co_await writer.get();
    BOOST_TEST(!error);
    BOOST_TEST(got.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(expired_session_caches_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto before = (co_await lock.acquire(10s)).token();
    BOOST_TEST(zk.cached() == 1u);
    BOOST_TEST(shared_server().expire(zk.session_id()));
    const auto none = [&] { return zk.cached() == 0; };
    co_await eventually(none);
    const hold held = co_await lock.acquire(30s);
    BOOST_TEST(held.token().transaction() > before.transaction());
    BOOST_TEST(witness.exists(held.node()).has_value());
  });
}

BOOST_AUTO_TEST_SUITE_END()
