// Tests the service with Boost.Test and a server in memory, without Java.

#define BOOST_TEST_MODULE reporter_in_memory
#include <zklock/testing/memory_server.hpp>

#include "fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace {

// A server in memory starts in about a millisecond: each test has its own.
struct own_server {
  zklock::testing::memory_server server;
};

struct scene : own_server, fixture {
  scene() : fixture(server.address()) {}
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(reporter_tests, scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(service_stops_and_begins_again_when_its_session_expires) {
  reporter service(client, "/locks/expiry", record("it"));
  start(service);
  BOOST_TEST(wait_for_events(1));

  BOOST_TEST(server.expire(client.session_id()));
  BOOST_TEST(wait_for_events(3));
  const events expected{"it began", "it stopped", "it began"};
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(lost_connection_stops_nothing) {
  reporter service(client, "/locks/short", record("it"));
  start(service);
  BOOST_TEST(wait_for_events(1));

  server.drop_connections();
  BOOST_TEST(wait_until([&] { return !client.connected(); }));
  BOOST_TEST(wait_until([&] { return client.connected(); }));
  BOOST_TEST(seen == events{"it began"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
