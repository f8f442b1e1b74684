#pragma once

#include <zklock/testing/frame.hpp>
#include <zklock/testing/raw_client.hpp>

#include "testing/wire_session.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing {

class raw_client::impl {
 public:
  impl(const std::string& address, raw_client_options options);

  /// Sends a request, waits for its reply and returns the reply's body. `what` is for messages.
  std::string call(std::int32_t xid, std::int32_t kind, std::string_view body,
                   const std::string& what, deadline until);
  std::string call(operation kind, std::string_view body, const std::string& what);

  std::optional<watch_event> next_event(deadline until);

  /// Closes the connection. All later requests throw.
  void drop() { wire_.reset(); }
  bool is_connected() const { return wire_.has_value(); }

  std::int32_t next_xid() { return ++last_xid_; }
  deadline soon() const { return deadline(limit_); }
  const connect_response& session() const { return session_; }

 private:
  /// Returns the next reply, and keeps the events before it.
  std::string receive_reply(deadline until);

  wire_session& wire();

  /// Keeps a frame if it is an event. Returns whether it is one.
  bool keep_event(std::string_view received);

  std::chrono::milliseconds limit_;
  std::optional<wire_session> wire_;
  connect_response session_;
  std::int32_t last_xid_ = 0;
  std::deque<watch_event> events_;
};

} // namespace zklock::testing
