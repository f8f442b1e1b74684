#pragma once

#include <zklock/testing/server.hpp>
#include <zklock/zklock.hpp>

#include "customers.hpp"
#include "event_log.hpp"
#include "examples/ticket_server/stock.hpp"
#include "queue_watch.hpp"
#include "server_process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

/// An action cannot be carried out now; its message says why, for the visitor.
class refused_action : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The shop behind the page: three ticket servers, their stock, their lock and their buyers.
class shop {
 public:
  struct parts {
    /// The command of a ticket server, without its name.
    std::vector<std::string> server_command;
    /// A descriptor that stays open in the servers.
    int lifeline;
    std::string database;
    int tickets;
    std::chrono::milliseconds work;
    /// Null if the ZooKeeper servers are not this program's own.
    zklock::testing::server* zookeeper;
  };

  /// Starts the servers. Blocks until they listen.
  shop(boost::asio::any_io_executor executor, parts chosen, const zklock::client& client);

  /// Follows the events of the shop.
  boost::asio::awaitable<void> run();

  /// Carries out the action of a button of the page: `{"action": "buy", "count": 100}`. Throws
  /// `refused_action`, or another exception if the request is wrong.
  boost::asio::awaitable<void> act(boost::json::object request);

  /// Returns all that the page shows, as JSON text.
  const std::string& state() const { return state_; }

  /// Returns a number that rises with each change of `state()`.
  std::uint64_t version() const { return version_; }

 private:
  void buy(std::int64_t count);
  void set_work(std::int64_t milliseconds);
  void act_on_server(const std::string& action, server_process& server);
  boost::asio::awaitable<void> expire_session(server_process& server);
  void on_holder_changed(const queue_watch::entries& before);

  server_process& find_server(const std::string& name);
  server_process* server_of(const zklock::participant& entry);
  boost::asio::awaitable<void> refresh();
  boost::json::array describe_servers() const;
  boost::json::array describe_queue();

  boost::asio::any_io_executor executor_;
  parts chosen_;
  stock tickets_;
  event_log log_;
  customers customers_;
  queue_watch queue_;
  std::deque<server_process> servers_;
  boost::asio::thread_pool blocking_{1};
  bool with_lock_ = true;
  std::string state_;
  std::uint64_t version_ = 0;
};
