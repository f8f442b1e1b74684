// Looking at a lock that a client keeps, asking for it, and breaking it.
#include "recipes/caching.hpp"

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

BOOST_AUTO_TEST_CASE(what_is_kept_is_listed_as_a_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto all = co_await theirs.participants();
    BOOST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].holds);
    BOOST_TEST(all[0].session_id == zk.session_id());
    BOOST_TEST(co_await theirs.count_waiting() == 0u);
    const auto found = co_await other.find_locks(path);
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].path == path);
    BOOST_REQUIRE(found[0].participants.size() == 1u);
    BOOST_TEST(found[0].participants[0].node == all[0].node);
    // The client itself knows better.
    BOOST_TEST((co_await zk.holds()).empty());
    BOOST_TEST((co_await zk.waits()).empty());
    BOOST_TEST(zk.cached() == 1u);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.node() == all[0].node);
    BOOST_TEST(held.token().transaction() == all[0].token.transaction());
    BOOST_TEST((co_await zk.holds()).size() == 1u);
    BOOST_TEST(zk.cached() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(turns_by_what_is_kept_change_no_holder) {
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
    co_await zk.drop_cached();
    const auto [error, next] = co_await changed.get();
    BOOST_TEST(!error);
    BOOST_TEST(!next.has_value());
  });
}

BOOST_AUTO_TEST_CASE(holder_by_what_was_kept_is_asked_to_release) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    hold held = co_await lock.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    const auto watched = [&] { return is_watched(held.node()); };
    co_await eventually(watched);
    const auto holder = co_await first();
    co_await theirs.request_release(holder);
    const auto [error, by] = co_await request.get();
    BOOST_TEST(!error);
    co_await held.release();
    BOOST_TEST(zk.cached() == 1u);

    // It is not for the holds after that one.
    hold next = co_await lock.acquire(10s);
    BOOST_TEST(next.node() == holder.node);
    pending<std::string> again;
    next.wait_release_requested(again.token());
    const auto watched_again = [&] { return is_watched(next.node()); };
    co_await eventually(watched_again);
    co_await theirs.count_waiting();
    BOOST_TEST(!again.done());
    co_await next.release();
    BOOST_TEST((std::get<0>(co_await again.get())).failed());
    // Not even where one of them did not ask.
    co_await warm();
    const hold last = co_await lock.acquire(10s);
    pending<std::string> third;
    last.wait_release_requested(third.token());
    const auto watched_last = [&] { return is_watched(last.node()); };
    co_await eventually(watched_last);
    co_await theirs.count_waiting();
    BOOST_TEST(!third.done());
    co_await theirs.request_release(holder);
    BOOST_TEST(!std::get<0>(co_await third.get()));
  });
}

BOOST_AUTO_TEST_CASE(request_that_was_made_while_it_was_kept_is_for_the_next_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const auto holder = co_await first();
    co_await theirs.request_release(holder);
    hold held = co_await lock.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    BOOST_TEST(!std::get<0>(co_await request.get()));
    co_await held.release();
  });
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_broken_by_others) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    BOOST_TEST(co_await theirs.break_lock() == 1u);
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(witness.exists(held.node()).has_value());
  });
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_broken_by_its_client) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    BOOST_TEST(co_await lock.break_lock() == 1u);
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(witness.exists(held.node()).has_value());
  });
}

BOOST_AUTO_TEST_CASE(hold_by_what_was_kept_is_broken) {
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
