#include <zklock/client.hpp>

#include "scene.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

using namespace deterministic;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(shipped_client)

BOOST_AUTO_TEST_CASE(client_connects_and_pings) {
  scene s;
  BOOST_TEST(s.connects());
  s.linux_kernel.run_for(10min);
  BOOST_TEST(s.client->connected());
  BOOST_TEST(s.server.accepted == 1);
  // At least a ping in a third of the session timeout keeps the session alive.
  BOOST_TEST(s.server.requests >= 300);
}

BOOST_AUTO_TEST_CASE(cut_is_noticed_after_two_thirds_of_the_session_timeout) {
  scene s;
  BOOST_TEST(s.connects());
  s.linux_kernel.run_for(1min);
  s.linux_kernel.net().cut("one", "10.0.0.1:2181");
  const auto cut = s.linux_kernel.time().now();
  s.linux_kernel.run_until(cut + 10s, [&] { return !s.client->connected(); });
  const auto noticed = s.linux_kernel.time().now() - cut;
  BOOST_TEST((noticed > 1s && noticed < 4100ms));
  s.linux_kernel.net().heal("one", "10.0.0.1:2181");
  BOOST_TEST(s.connects(70s));
}

BOOST_AUTO_TEST_CASE(closing_ends_the_session) {
  scene s;
  BOOST_TEST(s.connects());
  std::optional<boost::system::error_code> closed;
  s.one->call([&] { s.client->close([&](boost::system::error_code error) { closed = error; }); });
  s.linux_kernel.run_for(10s);
  BOOST_TEST(closed.has_value());
  BOOST_TEST(!closed->failed());
  BOOST_TEST(s.server.closed_sessions == 1);
}

BOOST_AUTO_TEST_CASE(number_after_the_last_one_is_1) {
  scene s;
  BOOST_TEST(s.connects());
  zklock::zookeeper::set_next_xid(std::numeric_limits<std::int32_t>::max() - 2);
  s.linux_kernel.run_for(1min);
  BOOST_TEST(s.server.requests > 20);
  BOOST_TEST(s.server.accepted == 1);
  BOOST_TEST(s.server.wrong_numbers == 0);
}

// Replies that have arrived during the pause are read before the connection is taken for silent.
BOOST_AUTO_TEST_CASE(paused_client_reads_first) {
  for (std::uint64_t seed = 1; seed != 30; ++seed) {
    bool paused = false;
    scene s(seed);
    BOOST_TEST(s.connects());
    s.linux_kernel.run_for(10s);
    s.server.on_request = [&] {
      if (!std::exchange(paused, true)) s.one->pause(5s);
    };
    s.linux_kernel.run_for(60s);
    BOOST_TEST(paused);
    BOOST_TEST(s.server.accepted == 1);
  }
}

BOOST_AUTO_TEST_CASE(silent_server_is_left_for_another_one) {
  for (std::uint64_t seed = 1; seed != 10; ++seed) {
    scene s(seed, "10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181");
    s.linux_kernel.net().cut("", "10.0.0.2:2181");
    s.linux_kernel.net().cut("", "10.0.0.3:2181");
    BOOST_TEST(s.connects(5s));
  }
}

// The C client closes its socket then, and the reactor has a duplicate.
BOOST_AUTO_TEST_CASE(failed_send_is_noticed_at_once) {
  scene s;
  BOOST_TEST(s.connects());
  s.one->fail_sends(1);
  BOOST_TEST(s.linux_kernel.run_until(s.linux_kernel.time().now() + 10s,
                                      [&] { return s.server.accepted == 2; }));
  BOOST_TEST(s.connects());
}

// A third of the session timeout keeps the session, which may exist.
BOOST_AUTO_TEST_CASE(server_that_refuses_all_requests_is_asked_ever_less_often) {
  // With the last two not even the first write of a connection is carried out.
  for (const std::int32_t error : {-112, -118, -119, -1, -110}) {
    scene s;
    BOOST_TEST(s.connects());
    s.linux_kernel.run_for(10s);
    s.server.error = error;
    int answered = 0;
    s.one->call([&] { s.client->find_locks("/", [&](auto, const auto&) { ++answered; }); });
    s.linux_kernel.net().reset("one", "");
    s.linux_kernel.run_for(10min);
    BOOST_TEST(s.server.accepted > 200);
    BOOST_TEST(s.server.accepted < 400);
    s.server.error = 0;
    BOOST_TEST(s.connects());
    s.linux_kernel.run_for(1min);
    BOOST_TEST(answered == 1);
    // A server that answers is asked again at once.
    const auto before = s.server.accepted;
    s.linux_kernel.net().reset("one", "");
    s.linux_kernel.run_for(100ms);
    BOOST_TEST(s.server.accepted == before + 1);
    BOOST_TEST(s.connects());
  }
}

// Another server may be of more use once it runs again.
BOOST_AUTO_TEST_CASE(server_that_demands_authentication_is_asked_ever_less_often) {
  simple_server other;
  scene s(1, "10.0.0.1:2181,10.0.0.2:2181");
  s.server.error = -124;
  s.one->call([&] { s.client->find_locks("/", [](auto, const auto&) {}); });
  s.linux_kernel.run_for(10min);
  BOOST_TEST(s.server.accepted > 200);
  BOOST_TEST(s.server.accepted < 400);
  s.server.error = 0;
  s.linux_kernel.net().listen("10.0.0.2:2181", other);
  BOOST_TEST(s.connects());
  s.linux_kernel.net().stop_listening("10.0.0.2:2181");
}

// Each round would ask for another session, which a server grants, and the other does not know.
BOOST_AUTO_TEST_CASE(servers_that_differ_are_asked_ever_less_often) {
  simple_server other;
  other.has_sessions = false;
  scene s(1, "10.0.0.1:2181,10.0.0.2:2181");
  s.linux_kernel.net().listen("10.0.0.2:2181", other);
  s.server.error = -124;
  s.one->call([&] { s.client->find_locks("/", [](auto, const auto&) {}); });
  s.linux_kernel.run_for(10min);
  BOOST_TEST(other.accepted > 200);
  BOOST_TEST(other.accepted < 800);
  s.server.error = 0;
  BOOST_TEST(s.connects());
  s.linux_kernel.net().stop_listening("10.0.0.2:2181");
}

BOOST_AUTO_TEST_CASE(names_are_resolved_by_a_thread) {
  scene s(1, "zoo.example:2181");
  s.linux_kernel.host_names().set("zoo.example", {.addresses = {"10.0.0.1"}, .delay = 5s});
  BOOST_TEST(!s.connects(4s));
  BOOST_TEST(s.connects(4s));
}

// By default the C client resolves the address of its server in each call.
BOOST_AUTO_TEST_CASE(address_is_not_resolved_again_while_connected) {
  scene s;
  BOOST_TEST(s.connects());
  const auto before = s.linux_kernel.host_names().lookups();
  s.linux_kernel.run_for(1min);
  BOOST_TEST(s.server.requests > 20);
  BOOST_TEST(s.linux_kernel.host_names().lookups() == before);
}

BOOST_AUTO_TEST_SUITE_END()
