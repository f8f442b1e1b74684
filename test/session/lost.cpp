// Everything that ends hold::wait_lost().
#include "support/background.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>

using namespace zklock;
using namespace zklock::test;

namespace {

struct held_scene {
  held_scene() : zk(std::in_place, context.io, options_for(shared_server().address())) {}

  hold take() {
    mutex lock(*zk, path);
    return get(lock.acquire(30s, asio::use_future));
  }

  const std::string path = fresh_path();
  background context;
  std::optional<client> zk;
};

} // namespace

BOOST_AUTO_TEST_SUITE(lost, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(wait_lost_is_aborted_when_the_hold_is_released) {
  held_scene s;
  hold held = s.take();
  auto one = held.wait_lost(asio::use_future);
  auto another = held.wait_lost(asio::use_future);
  get(held.release(asio::use_future));
  BOOST_TEST((error_of(one) == asio::error::operation_aborted));
  BOOST_TEST((error_of(another) == asio::error::operation_aborted));
}

BOOST_AUTO_TEST_CASE(wait_lost_is_aborted_when_the_hold_is_destroyed_or_replaced) {
  held_scene s;
  hold held = s.take();
  auto destroyed = held.wait_lost(asio::use_future);
  held = hold();
  BOOST_TEST((error_of(destroyed) == asio::error::operation_aborted));
}

BOOST_AUTO_TEST_CASE(wait_lost_continues_when_the_hold_is_moved) {
  held_scene s;
  hold held = s.take();
  auto moved = held.wait_lost(asio::use_future);
  hold place = std::move(held);
  BOOST_TEST((error_of(held.wait_lost(asio::use_future)) == errc::empty_hold));
  BOOST_TEST(!is_ready(moved));
  shared_server().expire(s.zk->session_id());
  BOOST_TEST((get(moved) == errc::session_expired));
  BOOST_TEST((place.state() == hold_state::lost));
}

BOOST_AUTO_TEST_CASE(wait_lost_can_be_cancelled_alone) {
  held_scene s;
  hold held = s.take();
  for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial,
                          asio::cancellation_type::total}) {
    asio::cancellation_signal cancel;
    auto cancelled = held.wait_lost(asio::bind_cancellation_slot(cancel.slot(), asio::use_future));
    auto stays = held.wait_lost(asio::use_future);
    cancel.emit(type);
    BOOST_TEST((error_of(cancelled) == asio::error::operation_aborted));
    BOOST_TEST(!is_ready(stays));
    // The operation has completed: the signal has no effect.
    cancel.emit(type);
  }
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(wait_lost_reports_a_closed_client) {
  held_scene s;
  const hold held = s.take();
  auto lost = held.wait_lost(asio::use_future);
  get(s.zk->close(asio::use_future));
  BOOST_TEST((get(lost) == errc::closed));
  BOOST_TEST((held.state() == hold_state::lost));
  BOOST_TEST(!held.owns_lock());
  BOOST_TEST((get(held.wait_lost(asio::use_future)) == errc::closed));
}

BOOST_AUTO_TEST_CASE(wait_lost_reports_a_destroyed_client) {
  held_scene s;
  const hold held = s.take();
  auto lost = held.wait_lost(asio::use_future);
  s.zk.reset();
  BOOST_TEST((get(lost) == errc::closed));
  BOOST_TEST((held.state() == hold_state::lost));
}

BOOST_AUTO_TEST_CASE(wait_lost_reports_refused_credentials) {
  testing::temporary_directory data;
  const testing::server_options settings{.data_directory = data.path()};
  std::optional<testing::server> server(std::in_place, settings);
  auto options = options_for(server->address());
  options.credentials = {{.secret = "anna:secret"}};
  background context;
  client zk(context.io, options);
  mutex lock(zk, fresh_path());
  const hold held = get(lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  auto waiting = lock.acquire(60s, asio::use_future);
  const auto port = server->port();
  server.reset();
  // The server is started again, and can no longer check a password.
  server.emplace(testing::server_options{
      .data_directory = data.path(),
      .port = port,
      .system_properties = {"zookeeper.DigestAuthenticationProvider.enabled=false"}});
  BOOST_TEST((get(lost) == errc::authentication_failed));
  BOOST_TEST((error_of(waiting) == errc::authentication_failed));
  BOOST_TEST((held.state() == hold_state::lost));
  BOOST_TEST((error_of(lock.acquire(30s, asio::use_future)) == errc::authentication_failed));
}

// The entry stays until the session expires.
BOOST_AUTO_TEST_CASE(wait_lost_reports_servers_that_demand_authentication) {
  testing::temporary_directory data;
  const testing::server_options settings{.data_directory = data.path()};
  std::optional<testing::server> server(std::in_place, settings);
  background context;
  client zk(context.io, options_for(server->address()));
  mutex lock(zk, fresh_path());
  const hold held = get(lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  auto waiting = lock.acquire(asio::use_future);
  const auto port = server->port();
  server.reset();
  server.emplace(
      testing::server_options{.data_directory = data.path(),
                              .port = port,
                              .system_properties = {"zookeeper.enforce.auth.enabled=true",
                                                    "zookeeper.enforce.auth.schemes=digest"}});
  BOOST_TEST((get(lost) == errc::authentication_failed));
  BOOST_TEST((error_of(waiting) == errc::authentication_failed));
  BOOST_TEST((error_of(zk.close(asio::use_future)) == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(wait_lost_of_an_empty_hold_fails_empty_hold) {
  asio::io_context io;
  const hold empty;
  BOOST_TEST((error_of(empty.wait_lost(asio::use_future)) == errc::empty_hold));
  BOOST_TEST((error_of(hold().release(asio::use_future)) == errc::empty_hold));
  BOOST_TEST(!empty.owns_lock());
  BOOST_TEST((empty.state() == hold_state::empty));
  BOOST_TEST((empty.valid_until() == boot_clock::time_point::min()));
  BOOST_TEST(empty.token() == fencing_token());
  BOOST_TEST(empty.node().empty());
}

// The loss of a lock must not be taken for the loss of another, nor its reason for that of all.
BOOST_AUTO_TEST_CASE(wait_lost_reports_the_reason_of_each_of_several_holds) {
  held_scene s;
  auto options = options_for(shared_server().address());
  options.check_interval = 200ms;
  s.zk.emplace(s.context.io, options);
  testing::raw_client witness(shared_server().direct_address());
  std::vector<hold> held;
  std::vector<std::future<error_code>> lost;
  for (int i = 0; i < 200; ++i) {
    mutex lock(*s.zk, s.path + "/" + std::to_string(i));
    held.push_back(get(lock.acquire(30s, asio::use_future)));
    lost.push_back(held.back().wait_lost(asio::use_future));
  }
  for (const std::size_t i : {3u, 64u, 65u, 130u, 199u}) {
    witness.remove(held[i].node());
    BOOST_TEST((get(lost[i]) == errc::entry_deleted));
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    BOOST_TEST(held[i].owns_lock() == lost[i].valid());
  shared_server().expire(s.zk->session_id());
  int expired = 0;
  for (auto& each : lost)
    if (each.valid()) expired += get(each) == errc::session_expired;
  BOOST_TEST(expired == 195);
}

BOOST_AUTO_TEST_SUITE_END()
