#pragma once

#include <zklock/client_options.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {
class tls_context;
} // namespace zklock::zookeeper

namespace zklock::cli {

/// The answer of a server to `srvr` and `conf`.
struct server_answer {
  std::string address;

  /// How long the answer to `srvr` took; no value where there is none.
  std::optional<std::chrono::nanoseconds> time{};

  /// `leader`, `follower`, `observer` or `standalone`; empty where the server does not tell.
  std::string mode{};

  /// Such as `3.8.0`; empty where the server does not tell.
  std::string version{};

  /// Its `tickTime`, where `conf` is allowed.
  std::optional<std::chrono::milliseconds> tick{};

  /// Why there is no answer, or none of use.
  std::string problem{};

  /// The server does not allow `srvr`.
  bool refuses = false;

  /// Whether it serves clients, as far as it tells.
  bool serves() const noexcept { return refuses || !mode.empty(); }
};

/// The parts of `host:port[,host:port]...[/chroot]`.
struct server_addresses {
  std::vector<std::string> addresses{};
  std::string chroot{};
};
server_addresses split_servers(const std::string& servers);

/// Asks servers with four-letter words, by TLS where a client would speak TLS to them.
class server_question {
 public:
  /// Reads the certificates. Throws `std::runtime_error` if they cannot be used. `limit`: how long
  /// an answer may take, with the connection that it comes by.
  server_question(const client_options& asked, std::chrono::milliseconds limit);

  /// Asks the server of this address with `srvr`, which servers allow by default. The answer is
  /// filled in: gcc 12 destroys aggregates twice that coroutines return.
  boost::asio::awaitable<void> ask(server_answer& server) const;

  /// Asks a server for its tick with `conf`.
  boost::asio::awaitable<void> ask_tick(server_answer& server) const;

 private:
  boost::asio::awaitable<std::string> ask(const std::string& address, std::string_view word,
                                          std::string& answer) const;

  std::chrono::milliseconds limit_;
  // Null without TLS.
  std::shared_ptr<zookeeper::tls_context> tls_;
};

} // namespace zklock::cli
