#pragma once

#include "support/frame_relay.hpp"

#include <set>

namespace zklock::test {

/// Relays to a server, and makes it refuse deletes as throttled servers do: the relay asks for a
/// version that no node has, and changes the server's answer.
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

  // The frame: number, operation; a delete ends in the version.
  void spoil(passing_frame& frame) {
    if (left_ == 0 || int_at(frame.bytes, 4) != delete_operation) return;
    --left_;
    spoiled_.emplace(frame.connection, int_at(frame.bytes, 0));
    put_int(frame.bytes, frame.bytes.size() - 4, no_such_version);
  }

  // The frame: number, transaction (8 bytes), error.
  void answer(passing_frame& frame) {
    if (spoiled_.erase({frame.connection, int_at(frame.bytes, 0)}) == 0) return;
    ++refused_;
    put_int(frame.bytes, 12, throttled);
  }

  std::size_t left_ = 0;
  std::size_t refused_ = 0;
  /// The connections and numbers of the requests to refuse.
  std::set<std::pair<int, std::int32_t>> spoiled_;
  frame_relay relay_;
};

} // namespace zklock::test
