// hold::get_stop_token: stopped when the hold is lost, or may be lost soon.
#include "support/scene.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

using namespace zklock;
using namespace zklock::test;

namespace {

struct stopping : one_lock {
  stopping() : one_lock({.ours = options_for(behind_door, 3s)}) {}

  void delete_entries() {
    for (const auto& name : witness.children(path))
      witness.remove(path + "/" + name);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(stop_token, stopping, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(token_is_stopped_when_the_hold_is_lost) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    const auto token = held.get_stop_token();
    BOOST_TEST(token.stop_possible());
    BOOST_TEST(!token.stop_requested());
    BOOST_TEST((token == held.get_stop_token()));
    const auto stopped = [&] { return token.stop_requested(); };
    delete_entries();
    co_await eventually(stopped);
    BOOST_TEST(!held.owns_lock());
    // A token that is asked for later is stopped at once.
    BOOST_TEST(held.get_stop_token().stop_requested());
  });
}

BOOST_AUTO_TEST_CASE(token_is_stopped_in_doubt_while_the_lock_is_held) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    std::optional<bool> owned;
    const std::stop_callback noted(held.get_stop_token(), [&] { owned = held.owns_lock(); });
    door.silence();
    const auto stopped = [&] { return owned.has_value(); };
    co_await eventually(stopped);
    BOOST_TEST(owned.value_or(false));
    door.heal();
  });
}

BOOST_AUTO_TEST_CASE(token_is_stopped_before_the_hold_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire({.timeout = 10s, .hold_limit = 500ms});
    std::optional<bool> owned;
    const std::stop_callback noted(held.get_stop_token(), [&] { owned = held.owns_lock(); });
    const auto stopped = [&] { return owned.has_value(); };
    co_await eventually(stopped);
    BOOST_TEST(owned.value_or(false));
  });
}

BOOST_AUTO_TEST_CASE(released_hold_stops_no_token) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s);
    const auto token = held.get_stop_token();
    co_await held.release();
    BOOST_TEST(!token.stop_requested());
    BOOST_TEST(!held.get_stop_token().stop_possible());
    // The timer of the token does not keep the context busy.
    co_await zk.close();
    BOOST_TEST(!token.stop_requested());
  });
  io.restart();
  io.run();
}

BOOST_AUTO_TEST_CASE(token_of_an_empty_hold_is_never_stopped) {
  BOOST_TEST(!hold().get_stop_token().stop_possible());
  BOOST_TEST(hold().path() == "");
  BOOST_TEST((hold().role() == participant_role::exclusive));
}

BOOST_AUTO_TEST_CASE(thread_is_stopped_when_the_client_is_closed) {
  std::optional<hold> held;
  run(io, [&]() -> asio::awaitable<void> { held = co_await lock.acquire(10s); });
  BOOST_REQUIRE(held);
  std::jthread worker([token = held->get_stop_token()](const std::stop_token& own) {
    while (!token.stop_requested() && !own.stop_requested())
      std::this_thread::yield();
  });
  run(io, [&]() -> asio::awaitable<void> {
    co_await zk.close();
    const auto stopped = [token = held->get_stop_token()] { return token.stop_requested(); };
    co_await eventually(stopped);
  });
  worker.join();
}

BOOST_AUTO_TEST_CASE(token_is_stopped_when_the_context_is_destroyed) {
  auto own = std::make_unique<asio::io_context>(1);
  client other(*own, options_for(shared_server().address(), 3s));
  hold held;
  mutex(other, path).acquire(10s, [&](error_code, hold got) {
    held = std::move(got);
    own->stop();
  });
  own->run();
  BOOST_REQUIRE(held);
  const auto token = held.get_stop_token();
  own.reset();
  BOOST_TEST(token.stop_requested());
  BOOST_TEST(held.get_stop_token().stop_requested());
}

BOOST_AUTO_TEST_CASE(holds_of_an_owner_have_tokens_of_their_own) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold outer = co_await lock.acquire({.timeout = 10s, .owner = me});
    const hold inner = co_await lock.acquire({.timeout = 10s, .owner = me});
    const auto first = outer.get_stop_token();
    const auto second = inner.get_stop_token();
    co_await outer.release();
    const auto stopped = [&] { return second.stop_requested(); };
    delete_entries();
    co_await eventually(stopped);
    BOOST_TEST(!first.stop_requested());
  });
}

BOOST_AUTO_TEST_CASE(hold_names_its_lock_and_its_role) {
  run(io, [&]() -> asio::awaitable<void> {
    const shared_mutex book(zk, path + "-book");
    const semaphore desks(zk, path + "-desks", 2);
    const hold written = co_await lock.acquire(10s);
    const hold permits = co_await desks.acquire(2, 10s);
    hold writer = co_await book.acquire(10s);
    BOOST_TEST(written.path() == path);
    BOOST_TEST(permits.path() == path + "-desks");
    BOOST_TEST((written.role() == participant_role::exclusive));
    BOOST_TEST((permits.role() == participant_role::permit));
    BOOST_TEST((writer.role() == participant_role::exclusive));
    co_await writer.downgrade();
    BOOST_TEST((writer.role() == participant_role::shared));
    BOOST_TEST(writer.path() == path + "-book");
  });
}

BOOST_AUTO_TEST_SUITE_END()
