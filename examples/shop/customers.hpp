#pragma once

#include "event_log.hpp"
#include "examples/ticket_server/http_messages.hpp"
#include "server_process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

/// The buyers that the page sends to the servers.
class customers {
 public:
  /// The most buyers that may wait at a time.
  static constexpr std::size_t most_waiting = 200;

  customers(boost::asio::any_io_executor executor, event_log& log)
      : executor_(std::move(executor)), log_(log) {}

  /// Sends buyers to the servers in turn. `terms` are further members of their requests.
  void send(std::size_t count, const std::vector<server_process*>& servers,
            const boost::json::object& terms);

  /// Returns the number of buyers without a response.
  std::size_t waiting() const { return waiting_; }

 private:
  /// The buyers that came together, and their tickets.
  struct group {
    std::size_t size;
    std::size_t first;
    std::size_t left;
    std::size_t sold = 0;
    std::size_t sold_out = 0;
    /// The server was killed.
    std::size_t unanswered = 0;
    /// The server was paused or cut off until a later holder had the lock.
    std::size_t late = 0;
    std::size_t failed = 0;
  };

  boost::asio::awaitable<void> buy(std::shared_ptr<group> all, std::string server,
                                   std::uint16_t port, std::string body);
  void take(group& all, const std::string& server, const http_response& response);
  void report(const group& all);

  boost::asio::any_io_executor executor_;
  event_log& log_;
  std::size_t number_ = 0;
  std::size_t turn_ = 0;
  std::size_t waiting_ = 0;
};
