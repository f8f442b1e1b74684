// The tests of boost_test.cpp with GoogleTest.

#include <zklock/testing/server.hpp>

#include "fixture.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

class reporter_test : public ::testing::Test, public fixture {
 protected:
  reporter_test() : fixture(one_server->address()) {}
  ~reporter_test() override { server.heal(); }

  // Starting a server takes a second: all tests use a single server, each under a path of its own.
  static void SetUpTestSuite() { one_server = std::make_unique<zklock::testing::server>(); }
  static void TearDownTestSuite() { one_server.reset(); }

  static inline std::unique_ptr<zklock::testing::server> one_server;
  zklock::testing::server& server = *one_server;
};

TEST_F(reporter_test, stops_and_begins_again_when_its_session_expires) {
  reporter service(client, "/locks/expiry", record("it"));
  start(service);
  ASSERT_TRUE(wait_for_events(1));

  EXPECT_TRUE(server.expire(client.session_id()));
  ASSERT_TRUE(wait_for_events(3));
  EXPECT_EQ(seen, (events{"it began", "it stopped", "it began"}));
}

TEST_F(reporter_test, stops_before_the_next_one_begins_when_it_is_cut_off) {
  zklock::client elsewhere(io, options(server.direct_address()));
  reporter service(client, "/locks/cut", record("it"));
  reporter successor(elsewhere, "/locks/cut", record("successor"));
  start(service);
  ASSERT_TRUE(wait_for_events(1));
  start(successor);

  server.cut_from_clients(zklock::testing::cut::silent);
  ASSERT_TRUE(wait_for_events(3));
  EXPECT_EQ(seen, (events{"it began", "it stopped", "successor began"}));
}

} // namespace
