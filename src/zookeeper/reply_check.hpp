#pragma once

#include "zookeeper/exchange.hpp"
#include "zookeeper/server_fault.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::zookeeper {

/// Checks the frames that a server sends on a connection, before the C client reads them.
///
/// The C client does not check lengths, counts and xids: wrong values make it loop, abort the
/// process or read uninitialized memory. The rules: the first frame is the connect response. It is
/// followed by watch events, replies to pings, a single reply for each sent credential, and replies
/// to requests. The replies to requests have the xids and the order of the requests.
///
/// A reply to a write with a zxid that is not above the newest zxid is no fault of the server that
/// sends it: see `rolled_back_to`.
class reply_check {
 public:
  struct expectations {
    /// Whether the client resumes a session, and does not ask for a new session.
    bool resumes = false;
    std::size_t credentials = 0;
    /// The newest zxid that a reply to a write has shown on earlier connections.
    std::int64_t newest_write = 0;
    /// Returns why a session timeout is refused; empty to accept it. May be empty: accepts all.
    std::function<std::string(std::chrono::milliseconds)> refuse_timeout{};
  };

  /// The largest accepted frame, in bytes: a list of a million entries fits. Servers do not limit
  /// the size of their replies.
  static constexpr std::int32_t longest_frame = 64 * 1024 * 1024;

  /// The frames are checked against `sent`, which must outlive the check.
  reply_check(expectations expected, exchanges& sent);

  /// Checks the beginning of a frame with its length, as far as it has arrived.
  std::optional<server_fault> check_begin(std::string_view bytes) const;

  /// Checks a complete frame without its length. Accepts a reply for the request that awaits it.
  std::optional<server_fault> check(std::string_view frame);

  /// The newest zxid in the header of a reply to a write that has succeeded. It is the zxid of the
  /// write: servers process a single write at a time, and reply before the next write.
  std::int64_t newest_write() const noexcept { return newest_write_; }

  /// The zxid of a write that was not above the newest zxid; nothing without such a write.
  std::optional<std::int64_t> rolled_back_to() const noexcept { return rolled_back_to_; }

 private:
  std::optional<server_fault> check_handshake(std::string_view frame) const;
  std::optional<server_fault> check_reply(std::int32_t xid, std::int64_t zxid, std::int32_t error,
                                          std::string_view body);
  server_fault unknown(std::int32_t xid) const;
  std::string request_with(std::int32_t xid) const;

  const expectations expectations_;
  exchanges& sent_;
  bool handshake_done_ = false;
  std::int64_t newest_write_;
  std::optional<std::int64_t> rolled_back_to_;
  std::size_t credentials_;
};

} // namespace zklock::zookeeper
