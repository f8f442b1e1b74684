// Costs that a session must not have: threads, processor time, descriptors that children inherit,
// and unexpected output.
#include <zklock/testing/relay.hpp>

#include "support/captured_output.hpp"
#include "testing/relay_hooks.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace zklock::test;
namespace testing = zklock::testing;
using testing::direction;
using testing::frame;
using testing::operation;

namespace {

std::set<std::string> entries(const char* folder) {
  std::set<std::string> found;
  for (const auto& each : std::filesystem::directory_iterator(folder))
    found.insert(each.path().filename());
  return found;
}

std::chrono::microseconds processor_time() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto sum = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  return sum(usage.ru_utime) + sum(usage.ru_stime);
}

} // namespace

BOOST_AUTO_TEST_SUITE(economy)

BOOST_AUTO_TEST_CASE(session_starts_no_thread) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  // Threads of earlier sessions may still be about to end.
  const auto before = entries("/proc/self/task");
  const auto is_any_new = [&before] {
    const auto now = entries("/proc/self/task");
    return !std::includes(before.begin(), before.end(), now.begin(), now.end());
  };
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  self.enter(directory);
  BOOST_TEST(!is_any_new());
  door.cut();
  self.wait_connected(2);
  BOOST_TEST(!is_any_new());
  self.close();
  self.wait("gone", [&] { return !is_any_new(); });
}

BOOST_AUTO_TEST_CASE(idle_session_uses_hardly_any_processor_time) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address(), 2s);
  self.start();
  self.wait_connected();
  int pings = 0;
  const auto hook = testing::relay_hooks(door).when(
      direction::to_client,
      [&pings](const frame& each) { return each.kind == operation::ping && ++pings == 4; },
      testing::reaction::observe);
  const auto before = processor_time();
  const auto handlers = self.wait("four pings", [&] { return hook.fired(); });
  BOOST_TEST(handlers < 16);
  BOOST_TEST((processor_time() - before < 100ms));
}

BOOST_AUTO_TEST_CASE(retries_use_hardly_any_processor_time_while_the_server_is_down) {
  // The relay closes each connection, and counts them.
  testing::relay door("127.0.0.1:1");
  asio::io_context io{1};
  user self(io, door.address());
  const auto before = processor_time();
  const auto begin = std::chrono::steady_clock::now();
  self.start();
  const auto handlers = self.wait("eight failures", [&] { return door.accepted() == 9; });
  BOOST_TEST(handlers < 40);
  BOOST_TEST((processor_time() - before < 200ms));
  BOOST_TEST((std::chrono::steady_clock::now() - begin > 300ms));
}

BOOST_AUTO_TEST_CASE(server_that_hangs_up_at_once_is_retried_with_a_delay) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  std::vector<testing::hook> hooks;
  for (int i = 0; i < 8; ++i) {
    hooks.push_back(testing::relay_hooks(door).when(
        direction::to_client, [](const frame& each) { return each.kind == operation::connect; },
        testing::reaction::cut_after));
  }
  const auto begin = std::chrono::steady_clock::now();
  self.start();
  self.wait("all losses", [&] { return hooks.back().fired(); });
  BOOST_TEST((std::chrono::steady_clock::now() - begin > 300ms));
}

BOOST_AUTO_TEST_CASE(each_answer_costs_one_wakeup) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  // Makes the session wait for writability once.
  const auto directory = self.make_directory();
  for (int i = 0; i < 100; ++i)
    self.session->send(
        zookeeper::create_entry{.path = directory + "/entry-", .data = std::string(60'000, 'x')},
        self, {1, 0});
  self.session->send(zookeeper::list{.path = directory}, self, {2, 0});
  self.wait_answer(2);
  self.answers.clear();
  int left = 100;
  self.reaction = [&](std::string_view) {
    if (--left > 0) self.session->send(zookeeper::list{.path = "/"}, self, {3, 0});
  };
  self.session->send(zookeeper::list{.path = "/"}, self, {3, 0});
  const auto handlers = self.wait("all", [&] { return left == 0; });
  BOOST_TEST(handlers < 110);
}

BOOST_AUTO_TEST_CASE(descriptors_are_not_inherited_by_children) {
  const auto server = shared_server().direct_address();
  const auto before = entries("/proc/self/fd");
  asio::io_context io{1};
  user self(io, server);
  self.start();
  self.wait_connected();
  self.session->send(zookeeper::list{.path = "/"}, self, {1, 0});
  self.wait_answer(1);
  int found = 0;
  for (const auto& each : entries("/proc/self/fd")) {
    if (before.contains(each)) continue;
    const int flags = ::fcntl(std::stoi(each), F_GETFD);
    // The directory that was being listed is closed by now.
    if (flags < 0) continue;
    ++found;
    BOOST_TEST((flags & FD_CLOEXEC) != 0);
  }
  // At least the socket, its duplicate and the reactor's own.
  BOOST_TEST(found >= 3);
}

BOOST_AUTO_TEST_CASE(descriptors_are_closed_with_their_session) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  const auto count = [&] {
    std::size_t sockets = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      sockets += std::filesystem::read_symlink(each, gone).string().starts_with("socket:");
    }
    return sockets;
  };
  door.wait_for_connections(1);
  const auto before = count();
  for (int i = 0; i < 10; ++i) {
    door.cut();
    self.wait_connected(2 + i);
  }
  door.wait_for_connections(1);
  // Sessions abandoned before this test may still close theirs.
  BOOST_TEST(count() <= before);
}

BOOST_AUTO_TEST_CASE(session_writes_nothing_to_standard_error) {
  captured_output taken;
  {
    testing::relay door(shared_server().direct_address());
    asio::io_context io{1};
    user self(io, "no-such-host.invalid:1,127.0.0.1:1," + door.address(), 1s);
    user quiet(io, door.address());
    quiet.options.log = nullptr;
    self.start();
    quiet.start();
    self.wait_connected();
    quiet.wait_connected();
    self.session->send(zookeeper::remove{.path = "bad path"}, self, {1, 0});
    quiet.session->send(zookeeper::remove{.path = "bad path"}, quiet, {1, 0});
    self.wait_connected(2);
    quiet.wait_connected(2);
    door.silence();
    self.wait_disconnected(2);
    door.heal();
    self.wait_connected(3);
    door.silence();
    self.close();
  }
  taken.restore();
  BOOST_TEST(taken.text() == "");
}

BOOST_AUTO_TEST_SUITE_END()
