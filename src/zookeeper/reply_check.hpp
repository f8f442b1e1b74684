#pragma once

#include <boost/circular_buffer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::zookeeper {

/// A fault in the messages of a server.
struct server_fault {
  enum class kind {
    /// The reply to the first frame is not in ZooKeeper's protocol.
    not_zookeeper,
    /// The granted session timeout is too short for the client.
    session_timeout_too_short,
    /// The session to resume does not exist any more.
    expired,
    /// The server does not know a request, and closes the connection.
    too_old,
    /// The server does not know `list_own`, without which a session does, and closes the
    /// connection.
    does_not_list_own,
    /// The server demands authentication, and closes the connection.
    authentication_required,
    /// The server refuses a request for a reason that is not about the request.
    turned_away,
    /// Any other fault.
    broken,
  };

  kind what;
  /// A sentence with the server as its subject: "it ...".
  std::string text;
};

/// The layout of a successful reply after its header.
enum class reply_layout : std::uint8_t {
  nothing,
  path,
  stat,
  path_and_stat,
  data_and_stat,
  names_and_stat,
  names,
  /// One result for each part of a transaction.
  results,
};

/// Checks the frames that a server sends on one connection, before the C client reads them.
///
/// The C client does not check lengths, counts and xids: wrong values make it loop, abort the
/// process or read uninitialized memory. The rules: the first frame is the connect response. After
/// it come watch events, replies to pings, one reply for each sent credential, and replies to
/// requests. Those have the xids of the requests, in the same order.
///
/// A reply to a write with a zxid that is not above the newest one is no fault of the server that
/// sends it: `rolled_back_to` tells.
class reply_check {
 public:
  struct expectations {
    /// Whether the client asks for a session that exists, and not for a new one.
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

  explicit reply_check(expectations expected);

  /// Expects a reply with this xid and layout. `name` is a string literal: the request is one "to
  /// `name`". `writes`: the reply is that of a write.
  void expect(std::int32_t xid, reply_layout layout, const char* name = "do something",
              bool writes = false);

  /// Removes the last expected reply: its request is not sent. It must not be a transaction.
  void withdraw_last() noexcept { replies_.pop_back(); }

  /// Whether a reply was accepted since the last call.
  bool take_reply() noexcept { return std::exchange(has_replied_, false); }

  /// Adds a part to the next request, which is a transaction.
  void expect_part(reply_layout layout);

  /// Checks the beginning of a frame with its length, as far as it has arrived.
  std::optional<server_fault> check_begin(std::string_view bytes) const;

  /// Checks a complete frame without its length, and removes its expected reply.
  std::optional<server_fault> check(std::string_view frame);

  /// The newest zxid in the header of a reply to a write that has succeeded. It is that of the
  /// write: servers process one write at a time, and reply before the next.
  std::int64_t newest_write() const noexcept { return newest_write_; }

  /// The zxid of a write that was not above the newest one; nothing without such a write.
  std::optional<std::int64_t> rolled_back_to() const noexcept { return rolled_back_to_; }

 private:
  struct expected_reply {
    std::int32_t xid = 0;
    reply_layout layout = reply_layout::nothing;
    bool writes = false;
    const char* name = nullptr;
    std::size_t parts = 0;
  };

  std::optional<server_fault> check_handshake(std::string_view frame) const;
  std::optional<server_fault> check_reply(std::int32_t xid, std::int64_t zxid, std::int32_t error,
                                          std::string_view body);
  server_fault unknown(std::int32_t xid) const;
  std::string request_with(std::int32_t xid) const;
  const expected_reply* find(std::int32_t xid) const;
  bool has_layout(const expected_reply& reply, std::string_view body) const;

  const expectations expectations_;
  bool handshake_done_ = false;
  bool has_replied_ = false;
  std::int64_t newest_write_;
  std::optional<std::int64_t> rolled_back_to_;
  std::size_t credentials_;
  boost::circular_buffer<expected_reply> replies_{16};
  boost::circular_buffer<reply_layout> parts_{16};
  /// The number of parts of the next transaction.
  std::size_t new_parts_ = 0;
};

} // namespace zklock::zookeeper
