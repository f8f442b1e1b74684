#pragma once

#include <zklock/zklock.hpp>

#include "http_messages.hpp"
#include "stock.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>

/// Answers the requests of buyers: sells tickets, a single ticket at a time across all processes
/// that use the lock.
///
///   POST /buy     {"buyer": "Ann"}; `"lock": false` sells without the lock, and `"work_ms": 300`
///                 replaces the time that a sale takes
///   GET /status   {"session": "0x100000c2a3f0001"}; empty without a session
class seller {
 public:
  /// The path of the lock.
  static constexpr const char* lock_path = "/locks/tickets";

  struct timing {
    /// How long a sale takes between its reading and its writing of the stock.
    std::chrono::milliseconds work;
    /// How long a buyer waits for the lock.
    std::chrono::milliseconds wait;
  };

  /// Sells without a lock where `client` and `lock` are null.
  seller(stock& tickets, zklock::client* client, zklock::mutex* lock, timing times)
      : tickets_(tickets), client_(client), lock_(lock), times_(times) {}

  /// Answers a request.
  boost::asio::awaitable<http_response> answer(http_request request);

 private:
  struct order {
    std::string buyer;
    bool with_lock;
    std::chrono::milliseconds work;
  };

  order read_order(const http_request& request) const;
  http_response status() const;
  boost::asio::awaitable<http_response> buy(order wanted);
  boost::asio::awaitable<std::optional<sale>> sell(const order& wanted);
  boost::asio::awaitable<std::optional<sale>> sell_next(const order& wanted, std::string token);

  stock& tickets_;
  zklock::client* client_;
  zklock::mutex* lock_;
  timing times_;
};
