#pragma once

#include "zookeeper/executor.hpp"
#include "zookeeper/logger.hpp"
#include "zookeeper/session_options.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zklock::zookeeper {

using endpoint = boost::asio::ip::tcp::endpoint;

/// As the C client reads it: an IPv6 address without brackets.
std::string c_client_form(const endpoint& address);

/// As people read it.
std::string readable(const endpoint& address);

/// Turns the names of servers into addresses.
///
/// Asio resolves all names of an execution context on one thread, one after the other, so a slow
/// name delays those queued behind it. Each name has one look-up queued or under way at most, and
/// it is left to its end: every name gets its turn, however slow the others are. Where all servers
/// are given by address, that thread is never started.
class resolver {
 public:
  /// Is called with the addresses of a name once it is resolved.
  using found_function = std::function<void(const std::vector<endpoint>& addresses)>;

  resolver(strand executor, const std::vector<server_address>& servers, logger& log);

  /// Must be called before `refresh`. Handlers do nothing once `self`, which points to this object,
  /// has expired.
  void attach(std::weak_ptr<resolver> self, found_function found);

  /// Begins to look up each name that is not being looked up.
  void refresh();

  /// All addresses that are known: those that the user gave, and those that names had when they
  /// were resolved last.
  std::vector<endpoint> known() const;

  /// Whether an address is known of each server.
  bool knows_all() const noexcept;

  /// No name is looked up any more, and `found` is not called again.
  void stop();

 private:
  using clock = std::chrono::steady_clock;

  struct server {
    server_address name;
    bool numeric = false;
    std::vector<endpoint> addresses;
    bool in_flight = false;
    clock::time_point asked;
    /// How long the last look-up took the thread.
    clock::duration took{0};
  };

  void ask(server& which);
  void failed(const server& which, const std::string& why);

  strand executor_;
  logger& log_;
  std::weak_ptr<resolver> self_;
  found_function found_;
  bool stopped_ = false;
  /// Those by address first, then those whose names are resolved fastest.
  std::vector<std::unique_ptr<server>> servers_;
  std::optional<boost::asio::ip::basic_resolver<boost::asio::ip::tcp, strand>> names_;
  clock::time_point last_answer_;
};

} // namespace zklock::zookeeper
