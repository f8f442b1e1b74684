#pragma once

#include "zookeeper/frame_buffer.hpp"
#include "zookeeper/reply_check.hpp"
#include "zookeeper/transport.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace zklock::zookeeper {

/// The input of a connection. The reader gets complete, checked frames, or an error.
class checked_input {
 public:
  /// Reads by `from`, which must outlive this object.
  checked_input(transport& from, reply_check::expectations wanted, exchanges& sent)
      : from_(from), check_(std::move(wanted), sent) {}

  /// Copies bytes of a checked frame. Reads from the socket if no checked frame is left. Returns -1
  /// without a frame; `fault` tells whether the connection has failed.
  ssize_t read(int socket, void* to, std::size_t size) noexcept;

  /// Removes and returns the next frame, unchecked and without its length; empty while the frame is
  /// incomplete. The frame is valid until the next call.
  std::string_view take_unchecked() noexcept;

  /// Reads from the socket, once. Returns whether bytes have arrived; otherwise sets errno.
  bool fill(int socket) noexcept;

  /// Whether the last read has stopped at its bound, and bytes may be left that no event of the
  /// socket announces.
  bool has_unread() const noexcept { return has_unread_; }

  /// Whether all bytes that had arrived by the last read were read.
  bool is_drained() const noexcept {
    return checked_ == 0 && arrived_.bytes().empty() && from_.is_drained();
  }

  /// The check of the replies, which knows the newest write.
  const reply_check& checked() const noexcept { return check_; }

  /// The fault in the server's messages, or the end of the connection.
  const std::optional<server_fault>& fault() const noexcept { return fault_; }

 private:
  bool find_frame(int socket) noexcept;
  bool check_begin() noexcept;

  transport& from_;
  reply_check check_;
  frame_buffer arrived_;
  // The number of checked bytes that are not read yet.
  std::size_t checked_ = 0;
  bool has_unread_ = false;
  std::optional<server_fault> fault_;
};

} // namespace zklock::zookeeper
