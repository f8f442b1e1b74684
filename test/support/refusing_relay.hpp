#pragma once

#include "support/frame_relay.hpp"

#include <set>

namespace zklock::test {

/// Relays to a server, and makes it refuse deletes, and transactions that begin with a delete, like
/// a throttled server: the relay changes the version in the request to a version that no node has,
/// and the error in the reply.
class refusing_relay {
 public:
  refusing_relay(asio::io_context& io, std::uint16_t target)
      : relay_(io, target, [this](passing_frame& frame) {
          if (!frame.first && frame.up) spoil(frame);
          if (!frame.first && !frame.up) answer(frame);
          return std::nullopt;
        }) {}

  std::string address() const { return relay_.address(); }

  /// Refuses this many requests from now on.
  void refuse(std::size_t count) noexcept { left_ = count; }

  /// The number of requests refused.
  std::size_t refused() const noexcept { return refused_; }

 private:
  static constexpr std::int32_t delete_operation = 2;
  static constexpr std::int32_t multi_operation = 14;
  // A part begins with its operation, a mark of the end and an error.
  static constexpr std::size_t first_part = 8;
  static constexpr std::size_t part_header = 9;
  static constexpr std::int32_t no_such_version = 0x7ffffff0;
  static constexpr std::int32_t throttled = -127;

  // The frame: xid, operation; the version is at the end of a delete, or of the first part of a
  // transaction.
  void spoil(passing_frame& frame) {
    const auto operation = int_at(frame.bytes, 4);
    const bool is_delete = operation == delete_operation;
    if (left_ == 0 || !(is_delete || (operation == multi_operation && begins_with_delete(frame))))
      return;
    --left_;
    spoiled_.emplace(frame.connection, int_at(frame.bytes, 0));
    const std::size_t path_at = is_delete ? 8 : first_part + part_header;
    const auto path_size = static_cast<std::size_t>(int_at(frame.bytes, path_at));
    put_int(frame.bytes, path_at + 4 + path_size, no_such_version);
  }

  static bool begins_with_delete(const passing_frame& frame) {
    return int_at(frame.bytes, first_part) == delete_operation;
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
