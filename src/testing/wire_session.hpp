#pragma once

#include "testing/blocking_socket.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::testing {

/// A connection that speaks ZooKeeper's protocol, frame by frame.
class wire_session {
 public:
  wire_session(const std::string& address, deadline until) : socket_(address, until) {}

  void send(std::string_view framed, deadline until) { socket_.write(framed, until); }
  std::string receive(deadline until);
  bool wait_readable(deadline until) { return socket_.wait_readable(until); }

  /// What the server says to a connect frame.
  struct welcome {
    /// 0 when there is no such session.
    std::chrono::milliseconds timeout{0};
    std::int64_t session_id = 0;
  };
  welcome receive_welcome(deadline until);

 private:
  blocking_socket socket_;
};

/// Returns the frame that makes a session, or resumes one unless `session_id` is 0.
std::string connect_frame(std::int64_t session_id, std::chrono::milliseconds timeout);

/// Returns a request's frame.
std::string request_frame(std::int32_t xid, std::int32_t operation, std::string_view body);

} // namespace zklock::testing
