#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The results of many purchases.
struct purchases {
  /// Answered 200.
  std::size_t sold = 0;
  /// Answered 409: sold out.
  std::size_t refused = 0;
  /// Answered with another status or not at all; `problem` is the first reason.
  std::size_t failed = 0;
  std::string problem;

  /// The duration of each purchase, sorted.
  std::vector<std::chrono::duration<double, std::milli>> times;
  std::chrono::duration<double> elapsed{};
};

/// Buys `count` tickets, `parallel` at a time, from the servers at `ports` of the loopback
/// interface. Each buyer keeps a connection. It repeats a request answered 503 after the seconds
/// of `Retry-After`.
boost::asio::awaitable<purchases> buy_tickets(std::vector<std::uint16_t> ports, std::size_t count,
                                              std::size_t parallel);
