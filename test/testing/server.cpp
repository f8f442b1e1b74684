#include <zklock/testing.hpp>

#include "support/raw_client.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;

BOOST_AUTO_TEST_SUITE(servers)

BOOST_AUTO_TEST_CASE(new_server_serves, *timeout(60)) {
  server zookeeper;
  BOOST_TEST(zookeeper.running());
  BOOST_TEST(zookeeper.mode() == "standalone");
  BOOST_TEST(zookeeper.address() == "127.0.0.1:" + std::to_string(zookeeper.port()));
  raw_client client(zookeeper.address());
  BOOST_TEST(client.create("/a", "b") == "/a");
  BOOST_TEST(client.get("/a").data == "b");
}

BOOST_AUTO_TEST_CASE(restarted_server_keeps_data_and_address, *timeout(60)) {
  server zookeeper;
  std::string address = zookeeper.address();
  raw_client(address).create("/kept", "still here");
  pid_t before = zookeeper.process_id();
  zookeeper.restart();
  BOOST_TEST(zookeeper.process_id() != before);
  BOOST_TEST(zookeeper.address() == address);
  BOOST_TEST(raw_client(address).get("/kept").data == "still here");
}

BOOST_AUTO_TEST_CASE(restarted_server_keeps_sessions, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address());
  client.create("/mine", "", create_mode::ephemeral);
  zookeeper.restart();
  raw_client again(zookeeper.address(), {.session_id = client.session_id()});
  BOOST_TEST(again.session_id() == client.session_id());
  BOOST_TEST(again.get("/mine").stat.ephemeral_owner == client.session_id());
  client.abandon();
}

BOOST_AUTO_TEST_CASE(stopped_server_refuses_clients, *timeout(60)) {
  server zookeeper;
  zookeeper.stop();
  BOOST_TEST(!zookeeper.running());
  BOOST_TEST(zookeeper.process_id() == 0);
  BOOST_TEST(zookeeper.mode().empty());
  BOOST_CHECK_EXCEPTION(raw_client(zookeeper.address()), error, [](const error& e) {
    return std::string(e.what()).find("refused") != std::string::npos;
  });
  zookeeper.stop();
  zookeeper.start();
  zookeeper.start();
  raw_client(zookeeper.address()).create("/a");
}

BOOST_AUTO_TEST_CASE(killed_server_loses_nothing, *timeout(60)) {
  server zookeeper;
  raw_client(zookeeper.address()).create("/a");
  zookeeper.kill();
  BOOST_TEST(!zookeeper.running());
  zookeeper.start();
  BOOST_TEST(raw_client(zookeeper.address()).exists("/a").has_value());
}

BOOST_AUTO_TEST_CASE(paused_server_does_not_answer, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address(), {.limit = 300ms});
  client.ping();
  zookeeper.pause();
  zookeeper.pause();
  BOOST_TEST(zookeeper.running());
  BOOST_TEST(zookeeper.mode().empty());
  BOOST_CHECK_THROW(client.ping(), error);
  zookeeper.resume();
  zookeeper.resume();
  raw_client again(zookeeper.address(), {.session_id = client.session_id()});
  again.ping();
  client.abandon();
}

BOOST_AUTO_TEST_CASE(paused_server_can_be_stopped, *timeout(60)) {
  server zookeeper;
  zookeeper.pause();
  zookeeper.stop();
  BOOST_TEST(!zookeeper.running());
  zookeeper.start();
  raw_client(zookeeper.address()).ping();
}

BOOST_AUTO_TEST_CASE(closed_cut_disconnects_clients, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address());
  zookeeper.cut_from_clients(cut::closed);
  BOOST_CHECK_THROW(client.ping(), error);
  BOOST_CHECK_THROW(raw_client(zookeeper.address()), error);
  BOOST_TEST(zookeeper.mode() == "standalone");
  zookeeper.heal();
  raw_client(zookeeper.address()).ping();
}

BOOST_AUTO_TEST_CASE(cut_lasts_over_a_restart, *timeout(60)) {
  server zookeeper;
  zookeeper.cut_from_clients(cut::closed);
  zookeeper.restart();
  BOOST_CHECK_THROW(raw_client(zookeeper.address()), error);
  zookeeper.stop();
  zookeeper.heal();
  BOOST_CHECK_THROW(raw_client(zookeeper.address()), error);
  zookeeper.start();
  raw_client(zookeeper.address()).ping();
}

BOOST_AUTO_TEST_CASE(silent_cut_holds_requests_back, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address(), {.limit = 200ms});
  zookeeper.cut_from_clients(cut::silent);
  BOOST_CHECK_THROW(client.create("/late"), error);
  BOOST_TEST(zookeeper.clients().connections() == 1U);
  zookeeper.heal();
  // Requests sent during the silence arrive after it.
  raw_client witness(zookeeper.address());
  for (int i = 0; i != 500 && !witness.exists("/late"); ++i)
    std::this_thread::sleep_for(10ms);
  BOOST_TEST(witness.exists("/late").has_value());
  client.abandon();
}

BOOST_AUTO_TEST_CASE(requests_are_counted, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address());
  client.create("/a");
  client.create("/a/b");
  client.get("/a");
  client.ping();
  client.children("/a");
  BOOST_TEST(zookeeper.requests(operation::create) == 2U);
  BOOST_TEST(zookeeper.requests(operation::get_data) == 1U);
  BOOST_TEST(zookeeper.requests(operation::ping) == 1U);
  BOOST_TEST(zookeeper.requests(operation::connect) == 1U);
  BOOST_TEST(zookeeper.requests(operation::remove) == 0U);
  BOOST_TEST(zookeeper.total_requests() == 4U);
  zookeeper.reset_counts();
  BOOST_TEST(zookeeper.total_requests() == 0U);
  client.sync();
  BOOST_TEST(zookeeper.requests(operation::sync) == 1U);
  BOOST_TEST(zookeeper.total_requests() == 1U);
  // The server object's own requests are not counted.
  zookeeper.four_letter_word("ruok");
  BOOST_TEST(zookeeper.total_requests() == 1U);
}

BOOST_AUTO_TEST_CASE(counters_are_reported, *timeout(60)) {
  server zookeeper;
  raw_client client(zookeeper.address());
  client.create("/watched");
  client.get("/watched", true);
  BOOST_TEST(zookeeper.four_letter_word("ruok") == "imok");
  BOOST_TEST(zookeeper.counter("zk_watch_count") == 1);
  BOOST_TEST(zookeeper.counters().at("zk_server_state") == "standalone");
  BOOST_CHECK_THROW(zookeeper.counter("zk_no_such"), error);
  BOOST_TEST(zookeeper.four_letter_word("wchp").find("/watched") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_are_obeyed, *timeout(60)) {
  server zookeeper({.tick_time = 200ms,
                    .min_session_timeout = 700ms,
                    .max_session_timeout = 90s,
                    .container_check_interval = 100ms,
                    .configuration = {"clientPortListenBacklog=77"},
                    .system_properties = {"user.home=/home/of/zklock"}});
  const auto replies = [&](std::string_view word, std::string_view line) {
    return ('\n' + zookeeper.four_letter_word(word)).find('\n' + std::string(line) + '\n') !=
           std::string::npos;
  };
  BOOST_TEST(replies("conf", "clientPortListenBacklog=77"));
  BOOST_TEST(replies("envi", "user.home=/home/of/zklock"));
  raw_client longest(zookeeper.address(), {.session_timeout = 200s});
  BOOST_TEST((longest.session_timeout() == 90s));
  raw_client shortest(zookeeper.address(), {.session_timeout = 1ms});
  BOOST_TEST((shortest.session_timeout() == 700ms));
  longest.create("/box", "", create_mode::container);
  longest.create("/box/thing");
  longest.remove("/box/thing");
  for (int i = 0; i != 500 && longest.exists("/box"); ++i)
    std::this_thread::sleep_for(10ms);
  BOOST_TEST(!longest.exists("/box"));
}

BOOST_AUTO_TEST_CASE(data_directory_is_used_and_kept, *timeout(60)) {
  temporary_directory folder;
  {
    server zookeeper({.data_directory = folder.path()});
    raw_client(zookeeper.address()).create("/kept");
  }
  server another({.data_directory = folder.path()});
  BOOST_TEST(another.data_directory() == folder.path());
  BOOST_TEST(raw_client(another.address()).exists("/kept").has_value());
}

BOOST_AUTO_TEST_CASE(server_can_be_used_by_several_threads, *timeout(60)) {
  server zookeeper;
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round != 20; ++round) {
        raw_client client(zookeeper.address());
        client.create("/t" + std::to_string(i) + "-", "", create_mode::persistent_sequential);
        if (zookeeper.running() && zookeeper.counter("zk_znode_count") > 0) ++done;
      }
    });
  }
  for (auto& one : threads)
    one.join();
  BOOST_TEST(done == 80);
  BOOST_TEST(zookeeper.requests(operation::create) == 80U);
}

BOOST_AUTO_TEST_SUITE_END()
