// wait_holder_changed: follows the holder of a lock.
#include "inspect/looking.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

/// A wait under way until a lock has another holder.
struct watching : pending<std::optional<participant>> {
  watching(const auto& lock, const std::optional<participant>& known) {
    lock.wait_holder_changed(known, token());
  }
};

struct watching_scene : looking_scene {
  /// Begins a wait for the first holder of a free lock that has a directory.
  asio::awaitable<watching> wait_for_first() {
    co_await connected();
    witness.create_all(path);
    const mutex lock(other, path);
    watching first(lock, std::nullopt);
    co_await answers(operation::get_children2, 2);
    co_return first;
  }

  /// Acquires a mutex, and checks that a wait for the first holder ends with the hold.
  asio::awaitable<participant> become_first(std::string where, watching& first) {
    mutex ours(zk, where);
    const hold held = co_await ours.acquire(10s);
    const auto holder = std::get<1>(co_await first.get());
    BOOST_REQUIRE(holder.has_value());
    BOOST_TEST(holder->node == held.node());
    BOOST_TEST((holder->token == held.token()));
    co_return *holder;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(holder_changes, watching_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(current_holder_is_reported_at_once) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto first = enter(uuid('1') + "-lock-", "10.0.0.7");
    enter(uuid('2') + "-lock-");
    const mutex lock(other, path);
    const auto holder = co_await lock.wait_holder_changed(std::nullopt);
    BOOST_TEST(requests_sent() == "list=1 get=1");
    BOOST_REQUIRE(holder.has_value());
    BOOST_TEST(holder->node == first);
    BOOST_TEST(holder->identity == "10.0.0.7");
    BOOST_TEST(holder->is_holder);
    BOOST_TEST(holder->session_id == witness.session_id());
    // No watch is left behind.
    BOOST_TEST(shared_server().four_letter_word("wchp").find(path) == std::string::npos);
  });
}

BOOST_AUTO_TEST_CASE(changes_are_reported_from_holder_to_holder_to_none) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto first = enter(uuid('1') + "-lock-");
    const auto second = enter(uuid('2') + "-lock-");
    const mutex lock(other, path);
    auto holder = co_await lock.wait_holder_changed(std::nullopt);
    door.reset_counts();
    watching next(lock, holder);
    co_await answers(operation::get_data, 1);
    BOOST_TEST(requests_sent() == "list=1 get=1");
    enter(uuid('3') + "-lock-");
    // A release request changes the node, not the holder.
    witness.set(first, "__REVOKE__");
    co_await answers(operation::get_data, 1);
    BOOST_TEST(!next.done());
    BOOST_TEST(requests_sent() == "get=1");
    witness.remove(first);
    holder = std::get<1>(co_await next.get());
    BOOST_REQUIRE(holder.has_value());
    BOOST_TEST(holder->node == second);
    BOOST_TEST(requests_sent() == "list=1 get=1");

    watching last(lock, holder);
    co_await watched(second);
    for (const auto& each : witness.children(path))
      if (path + '/' + each != second) witness.remove(path + '/' + each);
    witness.remove(second);
    const auto [error, none] = co_await last.get();
    BOOST_TEST(!error);
    BOOST_TEST(!none.has_value());
    BOOST_TEST(requests_sent() == "list=2 get=1");
  });
}

BOOST_AUTO_TEST_CASE(wait_on_a_free_lock_ends_with_the_first_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    auto first = co_await wait_for_first();
    BOOST_TEST(requests_sent() == "list=2");
    // Other children than entries do not count.
    witness.create(path + "/config");
    co_await answers(operation::get_children2, 2);
    BOOST_TEST(!first.done());
    co_await become_first(path, first);
  });
}

BOOST_AUTO_TEST_CASE(wait_below_a_missing_directory_ends_with_the_first_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const mutex lock(other, path + "/deep/lock");
    watching first(lock, std::nullopt);
    co_await watched(path + "/deep/lock");
    BOOST_TEST(requests_sent() == "list=1 exists=1");
    BOOST_TEST(!witness.exists(path).has_value());
    const auto holder = co_await become_first(path + "/deep/lock", first);
    // A lock that does not exist has no holder.
    BOOST_TEST(!(co_await mutex(other, path + "/none").wait_holder_changed(holder)).has_value());
  });
}

BOOST_AUTO_TEST_CASE(wait_continues_while_the_directory_is_deleted_and_created) {
  run(io, [&]() -> asio::awaitable<void> {
    auto first = co_await wait_for_first();
    witness.remove(path);
    co_await answers(operation::exists, 1);
    const auto node = enter(uuid('1') + "-lock-");
    BOOST_TEST(std::get<1>(co_await first.get()).value().node == node);
  });
}

BOOST_AUTO_TEST_CASE(first_reader_is_the_holder_and_a_downgrade_changes_it) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex ours(zk, path);
    hold writer = co_await ours.acquire(10s);
    const any_lock lock = shared_mutex(other, path).shared();
    auto holder = co_await lock.wait_holder_changed(std::nullopt);
    BOOST_TEST((holder.value().role == participant_role::exclusive));
    watching next(lock, holder);
    co_await watched(writer.node());
    co_await writer.downgrade();
    holder = std::get<1>(co_await next.get());
    BOOST_TEST(holder.value().node == writer.node());
    BOOST_TEST((holder.value().role == participant_role::shared));
  });
}

BOOST_AUTO_TEST_CASE(oldest_permit_is_the_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 3);
    const semaphore lock(other, path, 3);
    watching first(lock, std::nullopt);
    co_await watched(path + "/leases");
    hold one = co_await ours.acquire(1, 10s);
    auto holder = std::get<1>(co_await first.get());
    BOOST_TEST(holder.value().node == one.node());
    const hold two = co_await ours.acquire(1, 10s);
    const hold three = co_await ours.acquire(1, 10s);
    watching next(lock, holder);
    co_await watched(one.node());
    BOOST_TEST(!next.done());
    co_await one.release();
    holder = std::get<1>(co_await next.get());
    BOOST_TEST(holder.value().node == two.node());
  });
}

BOOST_AUTO_TEST_CASE(wait_continues_after_a_lost_connection) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto first = enter(uuid('1') + "-lock-");
    const auto second = enter(uuid('2') + "-lock-");
    const mutex lock(other, path);
    const auto holder = co_await lock.wait_holder_changed(std::nullopt);
    watching next(lock, holder);
    co_await watched(first);
    door.refuse();
    const auto gone = [&] { return !other.connected(); };
    co_await eventually(gone);
    witness.remove(first);
    door.heal();
    BOOST_TEST(std::get<1>(co_await next.get()).value().node == second);
  });
}

BOOST_AUTO_TEST_CASE(wait_fails_without_a_connection_and_can_be_cancelled) {
  auto options = named("blind", door.address());
  options.connect_timeout = 300ms;
  client blind(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const auto first = enter(uuid('1') + "-lock-");
    const mutex lock(blind, path);
    const auto holder = co_await lock.wait_holder_changed(std::nullopt);
    pending<std::optional<participant>> cancelled;
    asio::cancellation_signal stop;
    lock.wait_holder_changed(holder, asio::bind_cancellation_slot(stop.slot(), cancelled.token()));
    watching next(lock, holder);
    co_await watched(first);
    stop.emit(asio::cancellation_type::terminal);
    BOOST_TEST((std::get<0>(co_await cancelled.get()) == asio::error::operation_aborted));
    BOOST_TEST(!next.done());
    door.refuse();
    BOOST_TEST((std::get<0>(co_await next.get()) == errc::not_connected));
  });
}

// The wait does not disturb acquires of its client.
BOOST_AUTO_TEST_CASE(wait_on_a_lock_that_the_client_uses_reports_its_holders) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    for (int i = 0; i < 20; ++i) {
      watching change(lock, std::nullopt);
      hold held = co_await lock.acquire(10s);
      auto [error, found] = co_await change.get();
      BOOST_TEST(!error);
      BOOST_REQUIRE(found.has_value());
      BOOST_TEST(found->node == held.node());
      watching leaving(lock, found);
      co_await held.release();
      BOOST_TEST(!std::get<1>(co_await leaving.get()).has_value());
    }
    BOOST_TEST(entries(witness, path) == 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()
