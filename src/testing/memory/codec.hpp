#pragma once

#include "testing/memory/replies.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::testing::memory {

/// Decodes the first frame of a connection. Throws `error` if it is truncated.
connect_request decode_connect(std::string_view frame);

/// Decodes a later frame of a client. Throws `error` if its header is truncated.
request decode(std::string_view frame);

/// The reply to a connect request. A refused session has the id 0 and the timeout 0.
struct connect_response {
  std::int32_t timeout = 0;
  std::int64_t session_id = 0;
  bool read_only = false;
};

// Each function returns a frame with its length.

/// Encodes the reply to a connect request, with the password of the session.
std::string encode(const connect_response& response, const connect_request& request);

/// Encodes the reply to a request. `zxid` is the zxid of the write, or the last zxid of the server.
std::string encode(std::int32_t xid, std::int64_t zxid, code error, const reply_body& body = {});

/// Encodes a watch event.
std::string encode(const tree_event& event);

// The xids of frames that have no own.
constexpr std::int32_t notification_xid = -1;
constexpr std::int32_t ping_xid = -2;
constexpr std::int32_t auth_xid = -4;

} // namespace zklock::testing::memory
