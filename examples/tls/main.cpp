// A lock on servers with TLS: certificates for both sides, their renewal without a restart, and a
// server that is refused.
//
//   example_tls
//
// It starts a ZooKeeper server of its own, with certificates that it makes.

#include <zklock/testing/authority.hpp>
#include <zklock/testing/server.hpp>
#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <tuple>

namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace testing = zklock::testing;
using namespace std::chrono_literals;

void print_log(zklock::log_level, std::string_view line) {
  std::cout << "  log: " << line << '\n';
}

zklock::client_options options_for(const std::string& servers, const fs::path& authorities,
                                   const fs::path& certificate, const fs::path& key) {
  zklock::client_options options{.servers = servers};
  options.tls = {.authorities = {.file = authorities},
                 .certificate = {.file = certificate},
                 .key = {.file = key}};
  // Only clients with a certificate of this subject may use the locks.
  options.access = {zklock::access_rule::x509("CN=shop")};
  options.log = print_log;
  return options;
}

std::string days_until(std::chrono::system_clock::time_point expiry) {
  const auto left = expiry - std::chrono::system_clock::now();
  return std::to_string(std::chrono::floor<std::chrono::days>(left).count()) + " days";
}

asio::awaitable<void> use_lock(zklock::client& client) {
  zklock::mutex mutex(client, "/locks/till");
  zklock::hold hold = co_await mutex.acquire(10s);
  if (const auto tls = client.stats().tls)
    std::cout << "held by " << tls->version << ", " << tls->cipher
              << "; the server's certificate is valid for " << days_until(tls->server_expiry)
              << ", that of the client for " << days_until(*tls->client_expiry) << '\n';
  co_await hold.release();
}

asio::awaitable<void> renew(zklock::client& client, testing::server& server,
                            const fs::path& certificate, const fs::path& key,
                            const testing::certificate_files& renewed) {
  std::cout << "the certificate of the client is renewed, and the connection is lost\n";
  const auto replace = fs::copy_options::overwrite_existing;
  fs::copy_file(renewed.certificate, certificate, replace);
  fs::copy_file(renewed.key, key, replace);
  server.secure_clients().cut();
  asio::steady_timer pause(client.get_executor());
  while (!client.stats().tls ||
         *client.stats().tls->client_expiry < std::chrono::system_clock::now() + 60 * 24h) {
    pause.expires_after(10ms);
    co_await pause.async_wait(asio::deferred);
  }
}

asio::awaitable<void> be_refused(zklock::client& client) {
  zklock::mutex mutex(client, "/locks/till");
  const auto [error, hold] = co_await mutex.acquire(2s, asio::as_tuple(asio::deferred));
  std::cout << "a client that expects another server: " << error.message() << '\n';
  if (error != zklock::errc::certificate_refused) throw std::runtime_error("it was not refused");
}

int main() {
  testing::authority authority;
  const auto of_server =
      authority.issue({.name = "zk1", .hosts = {"127.0.0.1"}, .valid_until = 90 * 24h + 1h});
  const auto first = authority.issue({.name = "shop", .valid_until = 10 * 24h + 1h});
  const auto renewed = authority.issue({.name = "shop", .valid_until = 90 * 24h + 1h});
  testing::server server({.tls = testing::server_tls{.certificate = of_server.both,
                                                     .authorities = authority.certificate()}});

  const auto options =
      options_for(server.secure_address(), authority.certificate(), first.certificate, first.key);
  auto careful = options;
  careful.tls->server_name = "zk2.example.com";
  asio::io_context io{1};
  std::exception_ptr failure;
  zklock::client client(io, options);
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        co_await use_lock(client);
        co_await renew(client, server, first.certificate, first.key, renewed);
        co_await use_lock(client);
        co_await client.close();
        zklock::client other(io, careful);
        co_await be_refused(other);
      },
      [&](std::exception_ptr thrown) { failure = thrown; });
  io.run();
  if (failure) std::rethrow_exception(failure);
}
