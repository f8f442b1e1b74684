#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What came of many purchases.
struct purchases {
  /// Answered 200.
  std::size_t sold = 0;
  /// Answered 409: sold out.
  std::size_t refused = 0;
  /// Answered otherwise or not at all; `problem` is the first reason.
  std::size_t failed = 0;
  std::string problem;

  /// How long each took, sorted.
  std::vector<std::chrono::duration<double, std::milli>> times;
  std::chrono::duration<double> elapsed{};
};

/// Buys `count` tickets, `parallel` at a time, from the servers that listen on these ports of the
/// loopback interface. Each buyer keeps one connection and asks again, where told to, after the
/// time that the server names.
boost::asio::awaitable<purchases> buy_tickets(std::vector<std::uint16_t> ports, std::size_t count,
                                              std::size_t parallel);
