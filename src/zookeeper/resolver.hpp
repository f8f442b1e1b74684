#pragma once

#include "zookeeper/executor.hpp"
#include "zookeeper/logger.hpp"
#include "zookeeper/session_options.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
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

/// Turns the names of servers into addresses, anew each time it is asked.
///
/// Where all servers were given by address it answers within the call, and the thread on which
/// Asio resolves names is never started. A name that cannot be resolved, or not in time, counts
/// with the addresses that it had before.
class resolver {
 public:
  using found_function = std::function<void(std::vector<endpoint>)>;

  resolver(strand executor, const std::vector<server_address>& servers, const logger& log);

  /// Handlers do nothing once `self`, which points to this object, has expired.
  void resolve(const std::weak_ptr<resolver>& self, std::chrono::milliseconds patience,
               found_function found);

  /// What was asked before is not answered any more.
  void stop();

 private:
  struct server {
    server_address name;
    bool numeric = false;
    std::vector<endpoint> addresses;
  };

  void ask(const std::weak_ptr<resolver>& self, server& which);
  void failed(const server& which, const std::string& why);
  void finish();

  strand executor_;
  const logger& log_;
  std::vector<server> servers_;
  std::optional<boost::asio::ip::basic_resolver<boost::asio::ip::tcp, strand>> names_;
  waitable_timer timer_;
  found_function found_;
  std::size_t unanswered_ = 0;
  std::uint64_t round_ = 0;
};

} // namespace zklock::zookeeper
