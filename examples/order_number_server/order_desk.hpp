#pragma once

#include <zklock/zklock.hpp>

#include "examples/ticket_server/http_messages.hpp"
#include "fake_limited_resource.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <utility>

/// Answers the requests of callers.
///
///   POST /orders  gives out the next order number: {"number": 17, "token": "..."}
///
/// The status is 503 if the lock was not acquired in 5 seconds.
class order_desk {
 public:
  /// All handlers of the server share the client.
  order_desk(zklock::client& client, fake_limited_resource& numbers, std::string lock_path)
      : client_(client), numbers_(numbers), lock_path_(std::move(lock_path)) {}

  /// Answers a request.
  boost::asio::awaitable<http_response> answer(http_request request);

 private:
  boost::asio::awaitable<std::string> take_number();

  zklock::client& client_;
  fake_limited_resource& numbers_;
  std::string lock_path_;
};
