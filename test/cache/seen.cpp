// participants() of a lock that its client caches.
#include <zklock/shared_mutex.hpp>

#include "cache/caching.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct seen_scene : caching_scene {
  /// The use of the lock by its only participant.
  static participant_use use_of(const std::vector<participant>& all) {
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].is_holder);
    return all[0].use;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(cached_locks_are_seen, seen_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(own_client_knows_whether_a_cached_entry_is_used) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    BOOST_TEST((use_of(co_await lock.participants()) == participant_use::cached));
    BOOST_TEST((use_of(co_await lock.holders()) == participant_use::cached));
    hold held = co_await lock.acquire(10s);
    BOOST_TEST((use_of(co_await lock.participants()) == participant_use::in_use));
    BOOST_TEST((use_of(co_await lock.holders()) == participant_use::in_use));
    const auto holder = co_await lock.wait_holder_changed({});
    BOOST_TEST_REQUIRE(holder.has_value());
    BOOST_TEST((holder->use == participant_use::in_use));
    co_await held.release();
    const auto found = co_await zk.find_locks(path);
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST((use_of(found[0].participants) == participant_use::cached));
  });
}

BOOST_AUTO_TEST_CASE(other_clients_do_not_know_whether_a_cached_entry_is_used) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    BOOST_TEST((use_of(co_await theirs.participants()) == participant_use::unknown));
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST((use_of(co_await theirs.holders()) == participant_use::unknown));
    const auto found = co_await other.find_locks(path);
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST((use_of(found[0].participants) == participant_use::unknown));
  });
}

BOOST_AUTO_TEST_CASE(client_without_a_cache_uses_the_locks_that_it_holds) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await theirs.acquire(10s);
    BOOST_TEST((use_of(co_await lock.participants()) == participant_use::in_use));
  });
}

BOOST_AUTO_TEST_CASE(waiters_of_a_client_with_a_cache_are_no_holders) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await theirs.acquire(10s);
    pending<hold> waiting;
    lock.acquire(60s, waiting.token());
    co_await wait_for_entries(witness, path, 2);
    const auto all = co_await theirs.participants();
    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(!all[1].is_holder);
    BOOST_TEST((all[1].use == participant_use::in_use));
  });
}

BOOST_AUTO_TEST_CASE(token_of_a_cached_reader_is_higher_than_tokens_of_writers_only) {
  client second(io, caching(shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex ours(zk, path + "-rw");
    shared_mutex beside(second, path + "-rw");
    shared_mutex writers(other, path + "-rw");
    const auto writer_before = (co_await writers.acquire(10s)).token();
    co_await keep(ours.shared());
    co_await keep(beside.shared());
    const auto late = (co_await beside.acquire_shared(10s)).token();
    const auto early = (co_await ours.acquire_shared(10s)).token();
    // The entry of the second reader is older than the first reader's.
    BOOST_TEST((early < late));
    BOOST_TEST((early > writer_before));
    // Without hand-overs as well: the transaction alone is no token.
    BOOST_TEST(zk.stats().total.handed_over >= 1u);
    BOOST_TEST(early.turn() > 0u);
    hold writer = co_await writers.acquire(10s);
    BOOST_TEST((writer.token() > late));
    const auto after = writer.token();
    co_await writer.release();
    const hold reader = co_await ours.acquire_shared(10s);
    BOOST_TEST((reader.token() > after));
  });
}

BOOST_AUTO_TEST_SUITE_END()
