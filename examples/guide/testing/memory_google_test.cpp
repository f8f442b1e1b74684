// The tests of memory_boost_test.cpp with GoogleTest.

#include <zklock/testing/memory_server.hpp>

#include "fixture.hpp"

#include <gtest/gtest.h>

namespace {

// A server in memory starts in about a millisecond: each test has its own.
struct own_server {
  zklock::testing::memory_server server;
};

struct reporter_test : ::testing::Test, own_server, fixture {
  reporter_test() : fixture(server.address()) {}
};

TEST_F(reporter_test, stops_and_begins_again_when_its_session_expires) {
  reporter service(client, "/locks/expiry", record("it"));
  start(service);
  ASSERT_TRUE(wait_for_events(1));

  EXPECT_TRUE(server.expire(client.session_id()));
  ASSERT_TRUE(wait_for_events(3));
  EXPECT_EQ(seen, (events{"it began", "it stopped", "it began"}));
}

TEST_F(reporter_test, goes_on_after_a_lost_connection) {
  reporter service(client, "/locks/short", record("it"));
  start(service);
  ASSERT_TRUE(wait_for_events(1));

  server.drop_connections();
  ASSERT_TRUE(wait_until([&] { return !client.connected(); }));
  ASSERT_TRUE(wait_until([&] { return client.connected(); }));
  EXPECT_EQ(seen, events{"it began"});
}

} // namespace
