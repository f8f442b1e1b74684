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

/// Formats an endpoint for the C client: an IPv6 address without brackets.
std::string c_client_form(const endpoint& address);

/// Formats an endpoint or a server for the log: an IPv6 address in brackets.
std::string readable(const endpoint& address);
std::string readable(const server_address& server);

/// Resolves the names of servers.
///
/// Asio resolves all names of an execution context in turn, on a single thread: a slow name delays
/// the names queued behind it. Each name has at most a single outstanding look-up, which is not
/// cancelled while the session connects. So every name is resolved at last. If all servers are
/// given by address, the thread is never started.
class resolver {
 public:
  /// Called when the look-up of a name has ended, with the addresses that were found.
  using found_function = std::function<void(const std::vector<endpoint>& addresses)>;

  resolver(strand executor, const std::vector<server_address>& servers, logger& log);

  /// Must be called before `refresh`. `self` points to this object. Handlers do nothing after it
  /// has expired.
  void attach(std::weak_ptr<resolver> self, found_function found);

  /// Replaces the servers. A server that stays keeps its addresses and its look-up.
  void set_servers(const std::vector<server_address>& servers);

  /// Starts a look-up for each name without an outstanding look-up.
  void refresh();

  /// All known addresses: the addresses in the connection string, and the latest results of the
  /// names.
  std::vector<endpoint> known() const;

  /// The hosts in the connection string that have this address: names, and the address itself. All
  /// hosts, if a later look-up has not found the address again.
  std::vector<std::string> hosts_of(const endpoint& address) const;

  /// Whether each server has a known address.
  bool knows_all() const noexcept;

  /// Whether a look-up is outstanding.
  bool is_looking_up() const noexcept;

  /// Cancels the look-ups. `found` is not called any more.
  void stop();

 private:
  using clock = std::chrono::steady_clock;

  struct server {
    server_address name;
    bool numeric = false;
    std::vector<endpoint> addresses;
    bool in_flight = false;
    clock::time_point started;
    /// The time for which the last look-up occupied the thread.
    clock::duration duration{0};
    /// Cancels the look-up when the server is replaced.
    std::optional<boost::asio::ip::basic_resolver<boost::asio::ip::tcp, strand>> names;
  };

  static std::shared_ptr<server> make_server(const server_address& name);
  void look_up(const std::shared_ptr<server>& which);
  void failed(const server& which, const std::string& why);

  strand executor_;
  logger& log_;
  std::weak_ptr<resolver> self_;
  found_function found_;
  bool stopped_ = false;
  /// Sorted by the duration of the last look-up. Numeric addresses are first.
  std::vector<std::shared_ptr<server>> servers_;
  clock::time_point last_result_;
};

} // namespace zklock::zookeeper
