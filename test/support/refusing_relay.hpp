#pragma once

#include "support/frame_relay.hpp"

#include <set>

namespace zklock::test {

/// Relays to a server, and makes it refuse deletes like a throttled server: the relay changes the
/// version in the request to one that no node has, and the error in the reply.
class refusing_relay {
 public:
  refusing_relay(asio::io_context& io, std::uint16_t target)
      : relay_(io, target, [this](passing_frame& frame) {
          if (!frame.first && frame.up) spoil(frame);
          if (!frame.first && !frame.up) answer(frame);
          return std::nullopt;
        }) {}

  std::string address() const { return relay_.address(); }

  /// Refuses this many deletes from now on.
  void refuse(std::size_t count) noexcept { left_ = count; }

  /// The number of deletes refused.
  std::size_t refused() const noexcept { return refused_; }

 private:
  static constexpr std::int32_t delete_operation = 2;
  static constexpr std::int32_t no_such_version = 0x7ffffff0;
  static constexpr std::int32_t throttled = -127;

  // The frame: xid, operation; the version is at the end of a delete.
  void spoil(passing_frame& frame) {
    if (left_ == 0 || int_at(frame.bytes, 4) != delete_operation) return;
    --left_;
    spoiled_.emplace(frame.connection, int_at(frame.bytes, 0));
    put_int(frame.bytes, frame.bytes.size() - 4, no_such_version);
  }

  // The frame: xid, zxid (8 bytes), error.
  void answer(passing_frame& frame) {
    if (spoiled_.erase({frame.connection, int_at(frame.bytes, 0)}) == 0) return;
    ++refused_;
    put_int(frame.bytes, 12, throttled);
  }

  std::size_t left_ = 0;
  std::size_t refused_ = 0;
  /// The connection and xid of each request to refuse.
  std::set<std::pair<int, std::int32_t>> spoiled_;
  frame_relay relay_;
};

} // namespace zklock::test
