// Tests a service with Boost.Test: it stops and begins again when its session expires, and stops
// before another process can begin when the network is cut.

#define BOOST_TEST_MODULE reporter
#include <zklock/testing/server.hpp>

#include "fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace {

using boost::unit_test::timeout;

// Starting a server takes a second: all tests use a single server, each under a path of its own.
struct one_server {
  one_server() { running = &server; }
  zklock::testing::server server;
  static inline zklock::testing::server* running = nullptr;
};

struct scene : fixture {
  scene() : fixture(one_server::running->address()) {}
  ~scene() { server.heal(); }
  zklock::testing::server& server = *one_server::running;
};

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(one_server);

BOOST_FIXTURE_TEST_SUITE(reporter_tests, scene, *timeout(120))

BOOST_AUTO_TEST_CASE(service_stops_and_begins_again_when_its_session_expires) {
  reporter service(client, "/locks/expiry", record("it"));
  start(service);
  BOOST_TEST(wait_for_events(1));

  BOOST_TEST(server.expire(client.session_id()));
  BOOST_TEST(wait_for_events(3));
  const events expected{"it began", "it stopped", "it began"};
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(service_that_is_cut_off_stops_before_the_next_one_begins) {
  // The successor's process is not cut off: its address leads past the relay.
  zklock::client elsewhere(io, options(server.direct_address()));
  reporter service(client, "/locks/cut", record("it"));
  reporter successor(elsewhere, "/locks/cut", record("successor"));
  start(service);
  BOOST_TEST(wait_for_events(1));
  start(successor);

  server.cut_from_clients(zklock::testing::cut::silent);
  BOOST_TEST(wait_for_events(3));
  const events expected{"it began", "it stopped", "successor began"};
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(short_failure_of_the_network_stops_nothing) {
  reporter service(client, "/locks/short", record("it"));
  start(service);
  BOOST_TEST(wait_for_events(1));

  server.cut_from_clients(zklock::testing::cut::closed);
  BOOST_TEST(wait_until([&] { return !client.connected(); }));
  server.heal();
  BOOST_TEST(wait_until([&] { return client.connected(); }));
  BOOST_TEST(seen == events{"it began"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
