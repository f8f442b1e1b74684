#include <zklock/testing.hpp>

#include "support/raw_client.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;
using std::chrono::steady_clock;

BOOST_AUTO_TEST_SUITE(expiring)

BOOST_AUTO_TEST_CASE(expired_session_loses_its_nodes, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address());
  raw_client witness(zookeeper.address());
  client.create("/mine", "", create_mode::ephemeral);
  BOOST_TEST(zookeeper.expire(client.session_id()));
  BOOST_TEST(!witness.exists("/mine"));
  BOOST_CHECK_THROW(client.ping(), error);
  BOOST_CHECK_THROW(raw_client(zookeeper.address(), {.session_id = client.session_id()}),
                    session_gone);
  BOOST_TEST(!zookeeper.expire(client.session_id()));
  witness.ping();
}

BOOST_AUTO_TEST_CASE(session_expires_although_its_client_reconnects_at_once, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address());
  std::int64_t id = client.session_id();
  std::atomic<bool> told = false;
  std::jthread again([&] {
    for (auto end = steady_clock::now() + 20s; !told && steady_clock::now() < end;) {
      try {
        raw_client(zookeeper.address(), {.session_id = id}).abandon();
      } catch (const session_gone&) {
        told = true;
      } catch (const error&) {
        // Another connection of the session has closed this connection: try again.
      }
    }
  });
  BOOST_TEST(zookeeper.expire(id));
  again.join();
  BOOST_TEST(told);
  client.abandon();
}

BOOST_AUTO_TEST_SUITE_END()
