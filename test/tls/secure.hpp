#pragma once

#include <zklock/testing/authority.hpp>
#include <zklock/testing/server.hpp>

#include "support/background.hpp"

#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::test {

/// The authority of all certificates that clients and servers of the tests trust.
inline testing::authority& shared_authority() {
  static testing::authority made;
  return made;
}

/// The certificate of servers on the loopback interface.
inline const testing::certificate_files& server_certificate() {
  static const auto made =
      shared_authority().issue({.name = "server", .hosts = {"127.0.0.1", "localhost"}});
  return made;
}

/// The certificate of clients.
inline const testing::certificate_files& client_certificate() {
  static const auto made = shared_authority().issue({.name = "zklock"});
  return made;
}

/// A server with TLS that needs certificates of its clients.
inline testing::server_options secure_server() {
  return {.tls = testing::server_tls{.certificate = server_certificate().both,
                                     .authorities = shared_authority().certificate()}};
}

/// The server with TLS that the tests share. Each test leaves it running and healed.
inline testing::server& shared_secure_server() {
  static testing::server instance(secure_server());
  return instance;
}

/// TLS that the shared server accepts.
inline tls_options accepted_tls() {
  return {.authorities = {.file = shared_authority().certificate()},
          .certificate = {.file = client_certificate().certificate},
          .key = {.file = client_certificate().key}};
}

/// A client with TLS, and the lines of its log.
class secure_client {
 public:
  explicit secure_client(client_options options) : zk_(context_.io, listened(std::move(options))) {}
  secure_client(const std::string& servers, tls_options tls)
      : secure_client(with(servers, std::move(tls))) {}

  static client_options with(const std::string& servers, tls_options tls) {
    auto options = options_for(servers);
    options.tls = std::move(tls);
    return options;
  }

  client& zk() { return zk_; }

  /// Acquires and releases a lock. Returns the error of the acquire.
  error_code use_lock(std::chrono::seconds limit = 30s) {
    mutex lock(zk_, "/locks/secure");
    error_code error;
    try {
      hold held = get(lock.acquire(limit, asio::use_future));
      get(held.release(asio::use_future));
    } catch (const boost::system::system_error& thrown) {
      error = thrown.code();
    }
    return error;
  }

  void close() { get(zk_.close(asio::use_future)); }

  /// The number of lines with this text.
  std::ptrdiff_t logged(std::string_view text) const {
    const std::lock_guard lock(mutex_);
    return std::count_if(lines_.begin(), lines_.end(),
                         [text](const auto& line) { return line.find(text) != line.npos; });
  }

  std::string log() const {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const auto& line : lines_)
      all += "\n  " + line;
    return all;
  }

 private:
  client_options listened(client_options options) {
    options.log = [this](log_level, std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    };
    return options;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  background context_;
  client zk_;
};

} // namespace zklock::test
