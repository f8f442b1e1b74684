// A ticket shop with a page in the browser that shows its lock at work. Three server processes sell
// from a database. The page shows the queue of the lock, and has buttons to buy, to switch the
// lock off, and to pause, kill and expire the servers.
//
//   ticket_shop [--servers HOST:PORT[,...][/chroot]] [--port N] [--work 300ms] ...

#include <zklock/testing/server.hpp>
#include <zklock/zklock.hpp>

#include "page_server.hpp"
#include "settings.hpp"
#include "shop.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
namespace testing = zklock::testing;
using namespace std::chrono_literals;

namespace {

/// The options of the sessions of the shop.
struct session_options {
  std::string servers;
  std::chrono::milliseconds timeout;
  std::chrono::milliseconds server_tick;
};

/// Throws if ZooKeeper is not available: a clear message instead of a page without a queue.
asio::awaitable<void> check_servers(zklock::client& client) {
  zklock::mutex lock(client, "/locks/tickets-check");
  try {
    zklock::hold hold = co_await lock.acquire(10s);
    co_await hold.release();
  } catch (const boost::system::system_error& e) {
    throw std::runtime_error("cannot acquire a lock from ZooKeeper: " + e.code().message());
  }
}

asio::awaitable<void> serve(zklock::client& client, shop::parts chosen, const settings& options) {
  const auto executor = client.get_executor();
  co_await check_servers(client);
  shop open(executor, std::move(chosen), client);
  page_server page(executor, options.port, open, SHOP_PAGE);
  auto rethrow = [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  };
  asio::co_spawn(executor, page.run(), rethrow);
  std::cout << "the shop is open at http://127.0.0.1:" << page.port() << "/" << std::endl;
  co_await open.run();
}

std::vector<std::string> server_command(const session_options& session,
                                        const std::string& database) {
  const auto in_milliseconds = [](auto time) { return std::to_string(time.count()) + "ms"; };
  return {TICKET_SERVER,
          "--servers",
          session.servers,
          "--database",
          database,
          "--wait",
          "86400s",
          "--session-timeout",
          in_milliseconds(session.timeout),
          "--server-tick",
          in_milliseconds(session.server_tick)};
}

} // namespace

int main(int argc, char** argv) try {
  const auto chosen = parse(argc, argv);
  if (!chosen) return 0;

  testing::temporary_directory folder;
  std::optional<testing::server> zookeeper;

  // A signal ends run() instead of the process, so that destructors stop the servers.
  asio::io_context io{1};
  asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
  signals.async_wait([&io](auto error, int) {
    if (!error) io.stop();
  });

  session_options session{chosen->servers, 10s, 2s};
  if (chosen->servers.empty()) {
    const testing::server_options own;
    zookeeper.emplace(own);
    session = {zookeeper->direct_address(), 3s, own.tick_time};
  }
  if (chosen->session_timeout) session.timeout = chosen->session_timeout->value;
  const std::string database =
      chosen->database.empty() ? (folder.path() / "tickets.db").string() : chosen->database;

  zklock::client client(io, {.servers = session.servers,
                             .session_timeout = session.timeout,
                             .identity = "the page of the shop",
                             .server_tick = session.server_tick});
  shop::parts parts{.server_command = server_command(session, database),
                    .lifeline = folder.lifeline(),
                    .database = database,
                    .tickets = chosen->tickets,
                    .work = chosen->work.value,
                    .zookeeper = zookeeper ? &*zookeeper : nullptr};
  asio::co_spawn(io, serve(client, std::move(parts), *chosen), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "ticket_shop: " << e.what() << '\n';
  return 1;
}
