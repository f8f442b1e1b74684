#pragma once

#include "testing/blocking_socket.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::testing {

/// ZooKeeper's reply to a connect request.
struct connect_response {
  /// 0 if the session does not exist.
  std::chrono::milliseconds timeout{0};
  std::int64_t session_id = 0;
};

/// A connection that reads and writes frames of ZooKeeper's protocol.
class wire_session {
 public:
  wire_session(const std::string& address, deadline until) : socket_(address, until) {}

  void send(std::string_view framed, deadline until) { socket_.write(framed, until); }
  std::string receive(deadline until);
  bool wait_readable(deadline until) { return socket_.wait_readable(until); }

  connect_response receive_connect_response(deadline until);

 private:
  blocking_socket socket_;
};

/// Returns the frame of a connect request, which resumes a session, or creates a session if
/// `session_id` is 0.
std::string connect_frame(std::int64_t session_id, std::chrono::milliseconds timeout);

/// Returns the frame of a request.
std::string request_frame(std::int32_t xid, std::int32_t operation, std::string_view body);

} // namespace zklock::testing
