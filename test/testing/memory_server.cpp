#include <zklock/testing.hpp>

#include "support/raw_client.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;

namespace {

struct client_of_memory_server {
  memory_server zookeeper{{.tick_time = 50ms}};
  raw_client client{zookeeper.address()};
};

raw_client_options resuming(const raw_client& other) {
  return {.session_timeout = other.session_timeout(), .session_id = other.session_id()};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(memory_servers, client_of_memory_server, *timeout(60))

BOOST_AUTO_TEST_CASE(nodes_are_shown_with_their_data) {
  client.create("/a", "text");
  client.create("/a/e-", "", create_mode::ephemeral_sequential);
  const auto nodes = zookeeper.nodes();
  BOOST_TEST(nodes.at("/a").data == "text");
  BOOST_TEST(nodes.at("/a/e-0000000000").stat.ephemeral_owner == client.session_id());
  BOOST_TEST(nodes.contains("/zookeeper"));
}

BOOST_AUTO_TEST_CASE(servers_have_different_addresses_and_nodes) {
  memory_server other;
  BOOST_TEST(other.address() != zookeeper.address());
  client.create("/a");
  raw_client observer(other.address());
  BOOST_TEST(!observer.exists("/a"));
  BOOST_TEST(observer.session_id() != 0);
}

BOOST_AUTO_TEST_CASE(port_can_be_selected) {
  std::uint16_t port = 0;
  {
    memory_server first;
    port = first.port();
    BOOST_CHECK_THROW(memory_server({.port = port}), error);
  }
  memory_server second({.port = port});
  BOOST_TEST(second.port() == port);
}

BOOST_AUTO_TEST_CASE(watch_event_arrives) {
  raw_client other(zookeeper.address());
  client.create("/a");
  other.get("/a", true);
  client.remove("/a");
  const auto event = other.next_event(10s);
  BOOST_TEST_REQUIRE(event.has_value());
  BOOST_TEST(event->type == 2);
  BOOST_TEST(event->path == "/a");
}

BOOST_AUTO_TEST_CASE(silent_session_expires_with_its_nodes) {
  raw_client silent(zookeeper.address(), {.session_timeout = 100ms});
  silent.create("/e", "", create_mode::ephemeral);
  client.exists("/e", true);
  const auto event = client.next_event(10s);
  BOOST_TEST_REQUIRE(event.has_value());
  BOOST_TEST(event->type == 2);
  BOOST_CHECK_THROW(raw_client(zookeeper.address(), resuming(silent)), session_gone);
}

BOOST_AUTO_TEST_CASE(session_is_expired_on_request) {
  raw_client other(zookeeper.address());
  other.create("/e", "", create_mode::ephemeral);
  BOOST_TEST(zookeeper.expire(other.session_id()));
  BOOST_TEST(!client.exists("/e"));
  BOOST_CHECK_THROW(other.ping(), error);
  BOOST_TEST(!zookeeper.expire(other.session_id()));
}

BOOST_AUTO_TEST_CASE(dropped_connection_is_resumed) {
  client.create("/e", "", create_mode::ephemeral);
  zookeeper.drop_connections();
  BOOST_CHECK_THROW(client.ping(), error);
  raw_client again(zookeeper.address(), resuming(client));
  BOOST_TEST(again.session_id() == client.session_id());
  BOOST_TEST(again.exists("/e").has_value());
}

BOOST_AUTO_TEST_CASE(restart_keeps_nodes_and_sessions) {
  client.create("/a", "text");
  client.create("/e", "", create_mode::ephemeral);
  zookeeper.stop();
  BOOST_TEST(!zookeeper.running());
  BOOST_CHECK_THROW(raw_client(zookeeper.address(), resuming(client)), error);
  zookeeper.start();
  zookeeper.start();
  BOOST_TEST(zookeeper.running());
  raw_client again(zookeeper.address(), resuming(client));
  BOOST_TEST(again.get("/a").data == "text");
  zookeeper.restart();
  BOOST_CHECK_THROW(again.ping(), error);
}

BOOST_AUTO_TEST_CASE(empty_container_is_deleted) {
  memory_server reaping({.container_check_interval = 20ms});
  raw_client user(reaping.address());
  user.create("/c", "", create_mode::container);
  user.create("/c/child");
  user.exists("/c", true);
  user.remove("/c/child");
  const auto event = user.next_event(10s);
  BOOST_TEST_REQUIRE(event.has_value());
  BOOST_TEST(event->type == 2);
  BOOST_TEST(event->path == "/c");
}

BOOST_AUTO_TEST_CASE(session_timeout_is_within_the_limits) {
  memory_server limited({.tick_time = 50ms, .max_session_timeout = 2s});
  BOOST_TEST(raw_client(limited.address(), {.session_timeout = 1ms}).session_timeout().count() ==
             100);
  BOOST_TEST(raw_client(limited.address(), {.session_timeout = 5s}).session_timeout().count() ==
             2000);
}

BOOST_AUTO_TEST_CASE(server_ends_while_its_clients_are_connected) {
  std::vector<raw_client> clients;
  {
    memory_server ending;
    for (int i = 0; i != 5; ++i)
      clients.emplace_back(ending.address());
    clients.front().create("/large", std::string(900'000, 'x'));
  }
  for (auto& each : clients)
    BOOST_CHECK_THROW(each.ping(), error);
}

BOOST_AUTO_TEST_SUITE_END()
