// An operation begins when it is started, not when it is made.
#include "support/scene.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

hold acquire(one_lock& world, acquire_options options = {}) {
  std::optional<hold> held;
  world.lock.acquire(std::move(options), [&](error_code error, hold got) {
    BOOST_TEST(!error);
    held = std::move(got);
  });
  run_until(world.io, [&] { return held.has_value(); });
  return std::move(*held);
}

// Starts an operation, and returns the error with which it ends.
template <class Operation>
error_code error_of(asio::io_context& io, Operation started) {
  std::optional<error_code> ended;
  std::move(started)([&](error_code error, const auto&...) { ended = error; });
  run_until(io, [&] { return ended.has_value(); });
  return *ended;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(deferred_operations, one_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(dropped_release_leaves_the_hold_alone) {
  hold held = acquire(*this);
  { const auto dropped = held.release(); }
  BOOST_TEST((held.state() == hold_state::held));
  BOOST_TEST(!error_of(io, held.release()));
  BOOST_TEST((held.state() == hold_state::empty));
}

BOOST_AUTO_TEST_CASE(release_begins_when_it_is_started) {
  hold held = acquire(*this);
  auto made = held.release();
  BOOST_TEST((held.state() == hold_state::held));
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(!error_of(io, std::move(made)));
  BOOST_TEST((held.state() == hold_state::empty));
  BOOST_TEST(held.node().empty());
  BOOST_TEST((held.token() == fencing_token()));
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_CASE(copy_of_a_release_does_not_rob_the_original) {
  hold held = acquire(*this);
  auto made = held.release();
  auto copy = made;
  BOOST_TEST(!error_of(io, std::move(made)));
  BOOST_TEST(error_of(io, std::move(copy)) == errc::empty_hold);
}

BOOST_AUTO_TEST_CASE(release_of_a_hold_that_was_moved_releases_it) {
  hold held = acquire(*this);
  auto made = held.release();
  hold moved = std::move(held);
  BOOST_TEST((moved.state() == hold_state::held));
  BOOST_TEST(!error_of(io, std::move(made)));
  BOOST_TEST((moved.state() == hold_state::empty));
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_CASE(release_of_a_hold_that_was_destroyed_fails_empty_hold) {
  std::optional<hold> held = acquire(*this);
  auto made = held->release();
  held.reset();
  BOOST_TEST(error_of(io, std::move(made)) == errc::empty_hold);
}

BOOST_AUTO_TEST_CASE(release_of_a_hold_that_was_released_fails_empty_hold) {
  hold held = acquire(*this);
  auto made = held.release();
  BOOST_TEST(!error_of(io, held.release()));
  // The next hold is not released by it.
  held = acquire(*this);
  BOOST_TEST(error_of(io, std::move(made)) == errc::empty_hold);
  BOOST_TEST((held.state() == hold_state::held));
}

// All holds of an owner share its entry. Each hold is released once.
BOOST_AUTO_TEST_CASE(release_of_an_owner_leaves_the_other_holds_of_the_owner_alone) {
  const owner me;
  for (const bool first : {true, false}) {
    hold outer = acquire(*this, {.owner = me});
    hold inner = acquire(*this, {.owner = me});
    hold& released = first ? outer : inner;
    hold& kept = first ? inner : outer;
    auto made = released.release();
    auto copy = made;
    BOOST_TEST(!error_of(io, std::move(made)));
    BOOST_TEST(error_of(io, std::move(copy)) == errc::empty_hold);
    BOOST_TEST((released.state() == hold_state::empty));
    released = hold();
    BOOST_TEST((kept.state() == hold_state::held));
    BOOST_TEST(entries(witness, path) == 1u);
    BOOST_TEST(!error_of(io, kept.release()));
    BOOST_TEST(entries(witness, path) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(release_of_several_locks_begins_when_it_is_started) {
  multi_lock both(mutex(zk, path + "/a"), mutex(zk, path + "/b"));
  multi_hold held;
  both.acquire([&](error_code, multi_hold got) { held = std::move(got); });
  run_until(io, [&] { return held.owns_lock(); });
  { const auto dropped = held.release(); }
  BOOST_TEST((held.state() == hold_state::held));
  auto made = held.release();
  auto copy = made;
  multi_hold moved = std::move(held);
  BOOST_TEST(moved.owns_lock());
  BOOST_TEST(!error_of(io, std::move(made)));
  BOOST_TEST((moved.state() == hold_state::empty));
  BOOST_TEST(moved.holds().empty());
  BOOST_TEST(error_of(io, std::move(copy)) == errc::empty_hold);
  BOOST_TEST(entries(witness, path + "/a") == 0u);
  BOOST_TEST(entries(witness, path + "/b") == 0u);
}

// The operations are made before the hold is released, and started after it.
BOOST_AUTO_TEST_CASE(operation_made_before_the_release_of_its_hold_fails_empty_hold) {
  hold held = acquire(*this);
  auto lost = held.wait_lost();
  auto requested = held.wait_release_requested();
  auto committed = held.commit(transaction().create(path + "-node"));
  auto downgraded = held.downgrade();
  held = hold();
  BOOST_TEST(error_of(io, std::move(lost)) == errc::empty_hold);
  BOOST_TEST(error_of(io, std::move(requested)) == errc::empty_hold);
  BOOST_TEST(error_of(io, std::move(committed)) == errc::empty_hold);
  BOOST_TEST(error_of(io, std::move(downgraded)) == errc::empty_hold);
  BOOST_TEST(!witness.exists(path + "-node").has_value());
}

// The client's context may be gone by then.
BOOST_AUTO_TEST_CASE(operation_made_before_the_release_of_its_hold_needs_no_context) {
  asio::io_context elsewhere{1};
  std::optional<asio::io_context> home(std::in_place, 1);
  client own(*home, options_for(shared_server().address()));
  mutex same(own, path);
  hold held;
  same.acquire([&](error_code, hold got) { held = std::move(got); });
  run_until(*home, [&] { return held.owns_lock(); });
  auto made = held.release();
  auto copy = made;
  held = hold();
  home.reset();
  std::move(made)([](error_code) { BOOST_ERROR("its context is gone"); });
  std::optional<error_code> ended;
  std::move(copy)(asio::bind_executor(elsewhere, [&](error_code error) { ended = error; }));
  elsewhere.run_for(10s);
  BOOST_TEST_REQUIRE(ended.has_value());
  BOOST_TEST(*ended == errc::empty_hold);
}

BOOST_AUTO_TEST_CASE(dropped_operations_do_nothing) {
  shared_mutex shared(zk, path + "/shared");
  hold writes;
  shared.acquire([&](error_code, hold got) { writes = std::move(got); });
  run_until(io, [&] { return writes.owns_lock(); });
  const auto before = zk.stats();
  participant holder;
  holder.node = writes.node();
  {
    const auto dropped = std::tuple(
        lock.acquire(), lock.try_acquire(), multi_lock(lock).acquire(),
        acquire_any({any_lock(lock)}), shared.shared().acquire(), shared.break_lock(),
        shared.request_release(holder), writes.downgrade(), writes.wait_lost(),
        writes.commit(transaction().create(path + "-node")), zk.evict_cached(), zk.close());
  }
  run(io, [&]() -> asio::awaitable<void> { co_await zk.held_locks(); });
  BOOST_TEST(zk.stats().requests == before.requests);
  BOOST_TEST((zk.state() == connection_state::connected));
  BOOST_TEST((writes.state() == hold_state::held));
  BOOST_TEST(!witness.exists(path + "-node").has_value());
  // The timeout of an acquire counts from its start.
  auto timed = lock.acquire(500ms);
  hold got = acquire(*this);
  BOOST_TEST(error_of(io, std::move(timed)) == errc::timed_out);
}

BOOST_AUTO_TEST_SUITE_END()
