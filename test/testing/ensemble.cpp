#include <zklock/testing.hpp>

#include "support/raw_client.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <set>
#include <thread>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;
using std::chrono::steady_clock;

namespace {

/// Repeats an action until it does not throw, and returns its result.
template <typename Action>
auto retried(Action action, std::chrono::milliseconds limit = 20s) {
  auto end = steady_clock::now() + limit;
  for (;;) {
    try {
      return action();
    } catch (const error&) {
      if (steady_clock::now() > end) throw;
      std::this_thread::sleep_for(20ms);
    }
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(ensembles)

BOOST_AUTO_TEST_CASE(ensemble_elects_a_leader_and_survives_its_loss, *timeout(60)) {
  ensemble zookeeper(3);
  BOOST_TEST(zookeeper.size() == 3U);
  std::multiset<std::string> modes, expected{"follower", "follower", "leader"};
  for (std::size_t i = 0; i != 3; ++i)
    modes.insert(zookeeper[i].mode());
  BOOST_TEST(modes == expected, boost::test_tools::per_element());
  BOOST_TEST(zookeeper.addresses() ==
             zookeeper[0].address() + ',' + zookeeper[1].address() + ',' + zookeeper[2].address());
  server& first = zookeeper.leader();
  raw_client(first.address()).create("/n");
  first.kill();
  server& second = zookeeper.leader();
  BOOST_TEST(&second != &first);
  BOOST_TEST(raw_client(second.address()).exists("/n").has_value());
  raw_client(zookeeper.follower().address()).create("/m");
  first.start();
  zookeeper.wait_until_serving();
  raw_client client(first.address());
  client.sync();
  BOOST_TEST(client.exists("/m").has_value());
}

BOOST_AUTO_TEST_CASE(ensemble_without_a_quorum_does_not_serve, *timeout(60)) {
  ensemble zookeeper(3);
  zookeeper[0].stop();
  zookeeper[1].stop();
  auto end = steady_clock::now() + 20s;
  while (!zookeeper[2].mode().empty() && steady_clock::now() < end)
    std::this_thread::sleep_for(10ms);
  BOOST_TEST(zookeeper[2].mode().empty());
  BOOST_CHECK_THROW(zookeeper.leader(100ms), error);
  zookeeper[2].restart();
  zookeeper.start();
  raw_client(zookeeper.leader().address()).ping();
}

BOOST_AUTO_TEST_CASE(session_survives_the_stop_of_a_server, *timeout(60)) {
  ensemble zookeeper(3);
  server& one = zookeeper.follower();
  raw_client client(one.address());
  client.create("/mine", "", create_mode::ephemeral);
  one.stop();
  raw_client moved(zookeeper.leader().address(), {.session_id = client.session_id()});
  BOOST_TEST(moved.get("/mine").stat.ephemeral_owner == client.session_id());
  client.abandon();
}

// In a silent network a follower does not notice for a while that it is alone: it answers pings and
// reads long after the quorum has expired the session.
BOOST_AUTO_TEST_CASE(follower_cut_off_from_the_leader_answers_pings, *timeout(60)) {
  ensemble zookeeper(3, {.tick_time = 200ms, .sync_limit = 40});
  server& alone = zookeeper.follower();
  raw_client client(alone.address(), {.session_timeout = 1s});
  client.create("/mine", "", create_mode::ephemeral);
  raw_client witness(zookeeper.leader().address());
  BOOST_TEST(witness.exists("/mine", true).has_value());

  alone.cut_from_peers(cut::silent);
  std::optional<watch_event> gone;
  for (auto end = steady_clock::now() + 6s; !gone && steady_clock::now() < end;) {
    client.ping();
    gone = witness.next_event(100ms);
  }
  BOOST_REQUIRE(gone);
  BOOST_TEST(gone->type == 2);
  for (int i = 0; i != 10; ++i) {
    client.ping();
    BOOST_TEST(client.get("/mine").stat.ephemeral_owner == client.session_id());
    std::this_thread::sleep_for(50ms);
  }

  alone.heal();
  zookeeper.wait_until_serving();
  BOOST_CHECK_THROW(retried([&] {
                      try {
                        return raw_client(alone.address(), {.session_id = client.session_id()});
                      } catch (const session_gone&) {
                        throw std::logic_error("gone");
                      }
                    }),
                    std::logic_error);
}

BOOST_AUTO_TEST_CASE(leader_that_is_cut_off_is_replaced, *timeout(60)) {
  ensemble zookeeper(3, {.tick_time = 200ms, .sync_limit = 5});
  server& old_leader = zookeeper.leader();
  old_leader.cut_from_peers(cut::silent);
  server& leader = zookeeper.leader();
  BOOST_TEST(&leader != &old_leader);
  raw_client(leader.address()).create("/n");
  old_leader.heal();
  zookeeper.wait_until_serving();
  retried([&] {
    raw_client client(old_leader.address());
    client.sync();
    client.get("/n");
    return true;
  });
}

BOOST_AUTO_TEST_CASE(follower_with_closed_links_stops_serving_at_once, *timeout(60)) {
  ensemble zookeeper(3);
  server& alone = zookeeper.follower();
  raw_client client(alone.address());
  alone.cut_from_peers(cut::closed);
  auto end = steady_clock::now() + 20s;
  while (!alone.mode().empty() && steady_clock::now() < end)
    std::this_thread::sleep_for(10ms);
  BOOST_TEST(alone.mode().empty());
  BOOST_CHECK_THROW(client.ping(), error);
  // Elections get no answer either, so no other server helps it.
  std::this_thread::sleep_for(1s);
  BOOST_TEST(alone.mode().empty());
  alone.heal();
  zookeeper.wait_until_serving();
  raw_client(alone.address()).ping();
}

BOOST_AUTO_TEST_CASE(link_between_two_followers_can_be_cut, *timeout(60)) {
  ensemble zookeeper(3, {.tick_time = 200ms, .sync_limit = 5});
  std::size_t leader = 0, follower = 0, other = 0;
  for (std::size_t i = 0; i != 3; ++i)
    if (&zookeeper[i] == &zookeeper.leader()) leader = i;
  follower = (leader + 1) % 3;
  other = (leader + 2) % 3;
  zookeeper.cut_link(follower, other);
  // Only its link to the leader matters to a follower.
  raw_client client(zookeeper[follower].address());
  for (int i = 0; i != 15; ++i) {
    client.create("/n-", "", create_mode::persistent_sequential);
    std::this_thread::sleep_for(100ms);
  }
  zookeeper.heal();
  zookeeper.cut_link(leader, follower, cut::closed);
  auto end = steady_clock::now() + 20s;
  while (zookeeper[follower].mode() == "follower" && steady_clock::now() < end)
    std::this_thread::sleep_for(10ms);
  BOOST_TEST(zookeeper[follower].mode() != "follower");
  zookeeper.heal();
  zookeeper.wait_until_serving();
  BOOST_CHECK_THROW(zookeeper.cut_link(1, 1), error);
  BOOST_CHECK_THROW(zookeeper.cut_link(0, 3), error);
}

BOOST_AUTO_TEST_CASE(session_of_any_server_can_be_expired, *timeout(60)) {
  ensemble zookeeper(3);
  raw_client client(zookeeper.follower().address());
  client.create("/mine", "", create_mode::ephemeral);
  BOOST_TEST(zookeeper.expire(client.session_id()));
  raw_client witness(zookeeper.leader().address());
  BOOST_TEST(!witness.exists("/mine"));
  // The session's server learns of it a moment later than the leader.
  auto end = steady_clock::now() + 20s;
  auto ping_on = [&] {
    while (steady_clock::now() < end)
      client.ping();
  };
  BOOST_CHECK_THROW(ping_on(), error);
  BOOST_TEST(!zookeeper.expire(client.session_id()));
}

BOOST_AUTO_TEST_CASE(delay_applies_to_clients_and_between_servers, *timeout(60)) {
  ensemble zookeeper(3);
  raw_client client(zookeeper.leader().address());
  client.create("/before");
  zookeeper.delay(50ms);
  auto begin = steady_clock::now();
  client.create("/slow");
  BOOST_TEST((steady_clock::now() - begin >= 200ms));
  zookeeper.heal();
  client.create("/healed");
  begin = steady_clock::now();
  client.create("/fast");
  BOOST_TEST((steady_clock::now() - begin < 200ms));
}

BOOST_AUTO_TEST_CASE(requests_to_all_servers_are_counted, *timeout(60)) {
  ensemble zookeeper(3);
  for (std::size_t i = 0; i != 3; ++i)
    raw_client(zookeeper[i].address()).create("/n" + std::to_string(i));
  BOOST_TEST(zookeeper.requests(operation::create) == 3U);
  BOOST_TEST(zookeeper.total_requests() == 6U);
  zookeeper.reset_counts();
  BOOST_TEST(zookeeper.total_requests() == 0U);
}

BOOST_AUTO_TEST_CASE(paused_leader_is_replaced, *timeout(60)) {
  ensemble zookeeper(3, {.tick_time = 200ms, .sync_limit = 5});
  server& old_leader = zookeeper.leader();
  old_leader.pause();
  server& leader = zookeeper.leader();
  BOOST_TEST(&leader != &old_leader);
  raw_client(leader.address()).create("/n");
  old_leader.resume();
  retried([&] {
    zookeeper.wait_until_serving();
    raw_client client(old_leader.address());
    client.sync();
    client.get("/n");
    return true;
  });
}

BOOST_AUTO_TEST_SUITE_END()
