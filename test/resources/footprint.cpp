// Threads, descriptors and output of a program that uses locks.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"
#include "support/captured_output.hpp"
#include "support/server_restorer.hpp"
#include "zookeeper/canned_server.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/test/unit_test.hpp>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

using namespace zklock;
using namespace zklock::test;

namespace {

using strings = std::set<std::string>;

strings names_in(const char* folder) {
  strings found;
  for (const auto& each : std::filesystem::directory_iterator(folder))
    found.insert(each.path().filename());
  return found;
}

strings thread_ids() {
  return names_in("/proc/self/task");
}

/// The open descriptors, without the descriptor that lists them.
strings descriptors() {
  auto all = names_in("/proc/self/fd");
  std::erase_if(all, [](const auto& each) { return ::fcntl(std::stoi(each), F_GETFD) < 0; });
  return all;
}

strings added_to(const strings& before, const strings& now) {
  strings added;
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::inserter(added, added.end()));
  return added;
}

/// Uses a lock in all ways until the acquire is cancelled.
asio::awaitable<void> use(mutex lock, int turns) {
  for (int i = 0; i < turns; ++i) {
    hold held = co_await lock.acquire(30s);
    if (i % 2 == 0)
      co_await held.release();
    else
      held = hold();
    auto body = []() -> asio::awaitable<void> { co_return; };
    co_await with_lock(lock, 30s, body);
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(footprint, *boost::unit_test::timeout(120))

// It ends on the handler's executor, without Asio's system context, which begins with threads.
BOOST_AUTO_TEST_CASE(operation_on_an_empty_hold_starts_no_thread) {
  asio::io_context io{1};
  const auto before = thread_ids();
  int completed = 0;
  hold empty;
  empty.release(asio::bind_executor(io, [&](error_code) { ++completed; }));
  empty.wait_lost(asio::bind_executor(io, [&](error_code, error_code) { ++completed; }));
  run(io, [&]() -> asio::awaitable<void> {
    const auto [error] = co_await empty.release(asio::as_tuple(asio::use_awaitable));
    BOOST_TEST((error == errc::empty_hold));
  });
  run_until(io, [&] { return completed == 2; });
  BOOST_TEST(added_to(before, thread_ids()).empty());
}

BOOST_AUTO_TEST_CASE(client_starts_no_thread) {
  testing::raw_client witness(shared_server().direct_address());
  const auto before = thread_ids();
  asio::io_context io{1};
  auto options = options_for(shared_server().address());
  options.check_interval = 100ms;
  client zk(io, options);
  mutex lock(zk, fresh_path());
  run(io, [&] { return use(lock, 10); });
  BOOST_TEST(added_to(before, thread_ids()).empty());

  hold held;
  lock.acquire([&](error_code, hold got) { held = std::move(got); });
  run_until(io, [&] { return held.owns_lock(); });
  std::array<bool, 1000> done{};
  for (auto& each : done)
    lock.acquire(10ms, [&](error_code, hold) { each = true; });
  BOOST_TEST(added_to(before, thread_ids()).empty());
  run_until(io, [&] { return std::find(done.begin(), done.end(), false) == done.end(); });
  BOOST_TEST(added_to(before, thread_ids()).empty());
  // Idle, except for the checks.
  shared_server().reset_counts();
  run_until(io, [&] { return shared_server().requests(testing::operation::multi) >= 2; });
  BOOST_TEST(added_to(before, thread_ids()).empty());

  // The thread that ends the session goes with it.
  bool closed = false;
  zk.close([&](error_code) { closed = true; });
  run_until(io, [&] { return closed; });
  wait_until([&] { return added_to(before, thread_ids()).empty(); });
}

BOOST_AUTO_TEST_CASE(descriptors_are_not_inherited_by_children) {
  // Without the relay, whose descriptors must not count.
  const auto address = shared_server().direct_address();
  const auto before = descriptors();
  strings inherited;
  std::size_t most = 0;
  const auto look = [&] {
    const auto added = added_to(before, descriptors());
    most = std::max(most, added.size());
    for (const auto& each : added)
      if (const int flags = ::fcntl(std::stoi(each), F_GETFD);
          flags >= 0 && (flags & FD_CLOEXEC) == 0)
        inherited.insert(each);
  };
  asio::io_context io{1};
  client zk(io, options_for(address));
  mutex lock(zk, fresh_path());
  bool closed = false;
  asio::co_spawn(io, use(lock, 3), [&](std::exception_ptr) {
    // Forces a second connection.
    shared_server().expire(zk.session_id());
    lock.acquire([&](error_code, hold) { zk.close([&](error_code) { closed = true; }); });
  });
  run_until(io, [&] {
    look();
    return closed;
  });
  BOOST_TEST(inherited == strings(), boost::test_tools::per_element());
  // The reactor's own, the socket and its duplicate there.
  BOOST_TEST(most >= 5u);
}

BOOST_AUTO_TEST_CASE(many_clients_leave_no_descriptor_and_no_thread) {
  testing::relay deaf(shared_server().direct_address());
  deaf.silence();
  shared_server().clients().wait_for_connections(0);
  const auto threads = thread_ids();
  const auto before = descriptors();
  for (int i = 0; i < 30; ++i) {
    asio::io_context io{1};
    client zk(io, options_for(shared_server().address()));
    client second(io, options_for(deaf.address()));
    mutex lock(zk, fresh_path());
    if (i % 3 != 0) run(io, [&] { return use(lock, 1); });
    if (i % 3 == 2) run(io, [&] { return zk.close(asio::use_awaitable); });
    io.poll();
  }
  deaf.refuse();
  wait_until([&] { return added_to(before, descriptors()).empty(); });
  wait_until([&] { return added_to(threads, thread_ids()).empty(); });
  BOOST_TEST(deaf.connections() == 0u);
}

BOOST_AUTO_TEST_CASE(default_log_warns_once_for_each_outage) {
  captured_output output;
  std::string address;
  {
    asio::io_context io{1};
    canned_server server(io, "HTTP/1.1 400 Bad Request\r\n\r\n");
    address = server.address();
    auto options = options_for(address + "," + address);
    options.identity = "till\n1";
    client zk(io, options);
    run_until(io, [&] { return server.clients() >= 8; });
  }
  output.restore();
  const auto text = output.text();
  BOOST_TEST(text.substr(text.find('Z')) ==
             "Z zklock: warning: could not connect to " + address +
                 ": it does not speak ZooKeeper's protocol client=\"till\\n1\"\n");
}

BOOST_AUTO_TEST_CASE(default_log_is_silent_without_trouble) {
  captured_output output;
  {
    background context;
    client zk(context.io, options_for(shared_server().address()));
    mutex lock(zk, fresh_path());
    get(get(lock.acquire(30s, asio::use_future)).release(asio::use_future));
    get(zk.close(asio::use_future));
  }
  output.restore();
  BOOST_TEST(output.text() == "");
}

BOOST_AUTO_TEST_CASE(silenced_client_prints_nothing) {
  const server_restorer restorer;
  auto& server = shared_server();
  captured_output output;
  {
    background context;
    const auto silent = [](const std::string& servers) {
      auto options = options_for(servers, 4s);
      options.log = [](auto, auto) {};
      return options;
    };
    client zk(context.io, silent(server.address()));
    client other(context.io, silent("127.0.0.1:1," + server.address()));
    const auto path = fresh_path();
    mutex lock(zk, path);
    mutex foreign(other, path);
    hold held = get(lock.acquire(30s, asio::use_future));
    auto next = foreign.acquire(asio::use_future);
    static_cast<void>(error_of(lock.acquire(1ms, asio::use_future)));
    server.kill();
    wait_until([&] { return !zk.connected() && !other.connected(); });
    server.start();
    wait_until([&] { return zk.connected() && other.connected(); });
    server.expire(zk.session_id());
    held = get(next);
    server.clients().silence();
    held = hold();
    wait_until([&] { return !zk.connected() && !other.connected(); });
    server.clients().heal();
    held = get(foreign.acquire(asio::use_future));
    static_cast<void>(error_of(zk.close(asio::use_future)));
  }
  output.restore();
  BOOST_TEST(output.text() == "");
}

BOOST_AUTO_TEST_SUITE_END()
