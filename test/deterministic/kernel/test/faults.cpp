#include "scene.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <string>

using namespace deterministic;

BOOST_AUTO_TEST_SUITE(faults)

BOOST_AUTO_TEST_CASE(client_survives_a_reset_at_each_byte) {
  for (std::size_t bytes = 0; bytes != 120; ++bytes)
    for (const auto which : {direction::up, direction::down}) {
      scene s(bytes + 1);
      BOOST_TEST(s.connects());
      s.linux_kernel.net().reset_after("one", "", which, bytes);
      s.linux_kernel.run_for(30s);
      BOOST_TEST(s.connects());
      BOOST_TEST(s.server.accepted >= 2);
    }
}

// The C client takes no notice of a send that fails: ZOOKEEPER-4210.
BOOST_AUTO_TEST_CASE(request_after_an_unread_reset_is_answered_in_time) {
  for (std::uint64_t seed = 1; seed != 100; ++seed) {
    int answered = 0;
    scene s(seed);
    BOOST_TEST(s.connects());
    s.linux_kernel.run_for(10s);
    const auto ask = [&] { s.client->find_locks("/", [&](auto, const auto&) { ++answered; }); };
    s.linux_kernel.net().reset("one", "");
    s.one->call(ask);
    s.linux_kernel.run_for(3s);
    BOOST_TEST(s.connects());
    BOOST_TEST(s.server.accepted >= 2);
    s.linux_kernel.run_for(1min);
    BOOST_TEST(answered == 1);
  }
}

BOOST_AUTO_TEST_CASE(request_whose_send_fails_ends_the_connection_at_once) {
  int answered = 0;
  scene s;
  BOOST_TEST(s.connects());
  s.linux_kernel.run_for(10s);
  s.one->fail_sends(1);
  s.one->call([&] { s.client->find_locks("/", [&](auto, const auto&) { ++answered; }); });
  s.linux_kernel.run_for(200ms);
  BOOST_TEST(s.server.accepted == 2);
  s.linux_kernel.run_for(1min);
  BOOST_TEST(answered == 1);
}

// A new connection needs a socket and a duplicate. The kernel counts the attempts.
BOOST_AUTO_TEST_CASE(client_without_sockets_connects_once_it_has_them) {
  enum class lack { descriptors, duplicates, network };
  for (const auto which : {lack::descriptors, lack::duplicates, lack::network}) {
    scene s;
    BOOST_TEST(s.connects());
    if (which == lack::network)
      s.one->lack_network(1min);
    else
      s.one->lack_descriptors(1min, which == lack::duplicates);
    s.linux_kernel.net().reset("one", "");
    s.linux_kernel.run_for(59s);
    BOOST_TEST(s.server.accepted == 1);
    s.linux_kernel.run_for(10s);
    BOOST_TEST(s.connects());
    BOOST_TEST(s.server.accepted > 1);
  }
}

// The rest of a request is sent when the socket has room again, not with the next ping.
BOOST_AUTO_TEST_CASE(request_larger_than_the_send_buffer_is_answered_in_time) {
  for (std::uint64_t seed = 1; seed != 50; ++seed) {
    scene s(seed, "10.0.0.1:2181", 50 + seed);
    BOOST_TEST(s.connects());
    int answered = 0;
    const std::string path = '/' + std::string(500, 'x');
    s.one->call([&] { s.client->find_locks(path, [&](auto, const auto&) { ++answered; }); });
    s.linux_kernel.run_for(200ms);
    BOOST_TEST(answered == 1);
    BOOST_TEST(s.linux_kernel.short_sends() != 0);
  }
}

BOOST_AUTO_TEST_CASE(garbage_of_a_server_is_survived) {
  simulation::dice dice(4711);
  for (std::uint64_t seed = 1; seed != 200; ++seed) {
    scene s(seed);
    BOOST_TEST(s.connects());
    // A length that may be right, then bytes that may be a number, a type and strings.
    std::string bytes{0, 0, 0, static_cast<char>(dice.below(60))};
    for (int i = 0; i != 80; ++i)
      bytes += static_cast<char>(dice.chance(60) ? 0 : dice.below(256));
    s.server.say(bytes);
    s.linux_kernel.run_for(30s);
    BOOST_TEST(s.connects());
  }
}

BOOST_AUTO_TEST_CASE(killed_process_leaves_its_connections) {
  scene s;
  BOOST_TEST(s.connects());
  s.one->kill();
  s.linux_kernel.run_for(1s);
  BOOST_TEST(s.server.ended == 1);
  BOOST_TEST(s.server.closed_sessions == 0);
}

BOOST_AUTO_TEST_CASE(stalled_handler_lets_other_processes_run) {
  scene s;
  BOOST_TEST(s.connects());
  process& two = s.linux_kernel.start("two");
  bool during = false;
  time_point end{0};
  s.one->call([&] {
    boost::asio::post(s.one->context(), [&] {
      boost::asio::post(two.context(), [&] { during = end == time_point{0}; });
      two.wake();
      s.linux_kernel.stall(5s);
      end = s.linux_kernel.time().now();
    });
  });
  s.linux_kernel.run_for(20s);
  BOOST_TEST(during);
  BOOST_TEST((end > 5s));
  s.linux_kernel.end(two);
}

BOOST_AUTO_TEST_CASE(process_that_never_rests_is_reported) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  std::function<void()> again = [&] { boost::asio::post(one.context(), again); };
  one.call(again);
  BOOST_REQUIRE(linux_kernel.run_until(1s, [&] { return !linux_kernel.faults().empty(); }));
  BOOST_TEST(linux_kernel.faults().front() == "one runs without a rest");
}

BOOST_AUTO_TEST_CASE(process_that_rests_for_no_time_is_reported) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  auto timer = one.call([&] { return boost::asio::steady_timer(one.context()); });
  std::function<void()> again = [&] {
    timer.expires_after(20us);
    timer.async_wait([&](boost::system::error_code) { again(); });
  };
  one.call(again);
  BOOST_REQUIRE(linux_kernel.run_until(1s, [&] { return !linux_kernel.faults().empty(); }));
  BOOST_TEST(linux_kernel.faults().front() == "one runs without making progress");
}

BOOST_AUTO_TEST_SUITE_END()
