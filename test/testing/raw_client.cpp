#include "support/raw_client.hpp"

#include <zklock/testing.hpp>

#include "support/stat_of.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

using namespace zklock::testing;
using zklock::test::stat_of;
using namespace std::chrono_literals;
using boost::unit_test::timeout;

namespace {

struct client_of_server {
  server zookeeper;
  raw_client client{zookeeper.address()};
};

int code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const server_error& e) {
    return e.code();
  }
  return 0;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(raw_clients, client_of_server)

BOOST_AUTO_TEST_CASE(nodes_of_every_kind_are_created, *timeout(60)) {
  client.create("/d", "", create_mode::container);
  BOOST_TEST(client.create("/d/a-", "1", create_mode::persistent_sequential) == "/d/a-0000000000");
  BOOST_TEST(client.create("/d/a-", "2", create_mode::ephemeral_sequential) == "/d/a-0000000001");
  client.create("/d/e", "3", create_mode::ephemeral);
  std::vector<std::string> expected{"a-0000000000", "a-0000000001", "e"};
  BOOST_TEST(client.children("/d") == expected);
  node e = client.get("/d/e");
  BOOST_TEST(e.data == "3");
  BOOST_TEST(e.stat.ephemeral_owner == client.session_id());
  BOOST_TEST(e.stat.czxid > client.get("/d/a-0000000001").stat.czxid);
  BOOST_TEST(stat_of(client, "/d").num_children == 3);
}

BOOST_AUTO_TEST_CASE(nodes_are_changed_and_deleted, *timeout(60)) {
  client.create_all("/a/b/c");
  BOOST_TEST(client.set("/a/b/c", "x").version == 1);
  BOOST_TEST(client.get("/a/b/c").data == "x");
  client.remove("/a/b/c", 1);
  BOOST_TEST(!client.exists("/a/b/c"));
  client.create_all("/a/b/c/d");
  client.remove_all("/a");
  BOOST_TEST(!client.exists("/a"));
  client.remove_all("/a");
}

BOOST_AUTO_TEST_CASE(refusals_of_the_server_are_reported, *timeout(60)) {
  client.create("/n");
  client.create("/e", "", create_mode::ephemeral);
  BOOST_TEST(code_of([&] { client.create("/n"); }) == -110);
  BOOST_TEST(code_of([&] { client.get("/none"); }) == -101);
  BOOST_TEST(code_of([&] { client.remove("/n", 7); }) == -103);
  BOOST_TEST(code_of([&] { client.create("/e/child"); }) == -108);
  client.create("/n/child");
  BOOST_TEST(code_of([&] { client.remove("/n"); }) == -111);
  client.ping();
}

BOOST_AUTO_TEST_CASE(access_control_is_obeyed, *timeout(60)) {
  client.add_auth("digest", "ann:secret");
  client.create("/private", "", create_mode::persistent, {creator_access()});
  client.create("/private/own");
  raw_client other(zookeeper.address());
  BOOST_TEST(code_of([&] { other.create("/private/foreign"); }) == -102);
  other.add_auth("digest", "ann:secret");
  other.create("/private/foreign");
}

BOOST_AUTO_TEST_CASE(watch_events_are_received, *timeout(60)) {
  raw_client other(zookeeper.address());
  BOOST_TEST(!client.exists("/n", true));
  other.create("/n");
  auto event = client.next_event(10s);
  BOOST_REQUIRE(event);
  BOOST_TEST(event->type == 1);
  BOOST_TEST(event->path == "/n");
  BOOST_TEST(!client.next_event(0ms));
  client.children("/n", true);
  client.get("/n", true);
  other.create("/n/child");
  other.set("/n", "");
  client.sync();
  for (const int type : {4, 3}) {
    const auto next = client.next_event(10s);
    BOOST_TEST_REQUIRE(next.has_value());
    BOOST_TEST(next->type == type);
  }
}

BOOST_AUTO_TEST_CASE(abandoned_client_leaves_its_session, *timeout(60)) {
  client.create("/mine", "", create_mode::ephemeral);
  client.abandon();
  BOOST_CHECK_THROW(client.ping(), error);
  raw_client witness(zookeeper.address());
  BOOST_TEST(witness.exists("/mine").has_value());
  raw_client heir(zookeeper.address(), {.session_id = client.session_id()});
  BOOST_TEST(heir.session_id() == client.session_id());
  heir.close();
  BOOST_TEST(!witness.exists("/mine"));
}

BOOST_AUTO_TEST_CASE(destroyed_client_ends_its_session, *timeout(60)) {
  std::int64_t id = 0;
  {
    raw_client first(zookeeper.address());
    id = first.session_id();
    first.create("/mine", "", create_mode::ephemeral);
    raw_client moved(std::move(first));
    moved.ping();
  }
  BOOST_TEST(!client.exists("/mine"));
  BOOST_CHECK_THROW(raw_client(zookeeper.address(), {.session_id = id}), session_gone);
}

BOOST_AUTO_TEST_CASE(assigned_client_ends_the_session_before, *timeout(60)) {
  client.create("/mine", "", create_mode::ephemeral);
  client = raw_client(zookeeper.address());
  BOOST_TEST(!client.exists("/mine"));
}

BOOST_AUTO_TEST_CASE(silent_client_expires, *timeout(60)) {
  raw_client quiet(zookeeper.address(), {.session_timeout = 1s});
  quiet.create("/quiet", "", create_mode::ephemeral);
  client.exists("/quiet", true);
  auto event = client.next_event(10s);
  BOOST_REQUIRE(event);
  BOOST_TEST(event->type == 2);
  quiet.abandon();
}

BOOST_AUTO_TEST_SUITE_END()
