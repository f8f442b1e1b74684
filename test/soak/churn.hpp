#pragma once

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace soak {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

/// Clients whose workers use locks of randomly chosen paths. Each path has a single kind of lock. A
/// client has a cache, another client hands locks over, and the third client does neither.
class churn {
 public:
  static constexpr std::size_t clients = 3;

  churn(asio::io_context& io, std::string servers, std::size_t paths);

  /// The workers use locks until the time has come. Completes when each worker has ended.
  asio::awaitable<void> work_until(clock::time_point end);

  /// Completes when each client is connected, caches no lock, and has none of its requests
  /// unanswered.
  asio::awaitable<void> rest();

  /// Closes the client whose turn it is, and makes the client again.
  asio::awaitable<void> replace_a_client();

  /// Of the clients that are closed, too.
  std::uint64_t grants() const;
  std::uint64_t expiries() const;

  asio::awaitable<void> close();

 private:
  zklock::client_options options_of(std::size_t index) const;
  asio::awaitable<void> work(zklock::client& zk, std::uint64_t seed, clock::time_point end);
  asio::awaitable<void> close(std::size_t index);

  static constexpr std::size_t workers_of_each = 40;

  asio::io_context& io_;
  const std::string servers_;
  const std::size_t paths_;
  std::mt19937_64 random_{4711};
  std::vector<std::optional<zklock::client>> clients_{clients};
  std::size_t replaced_ = 0;
  std::uint64_t grants_ = 0;
  std::uint64_t expiries_ = 0;
};

} // namespace soak
