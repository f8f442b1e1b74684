#pragma once

#include "client/session_room.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace zklock::detail {

/// The bytes of `client_options::owned_bytes` that a caller of several locks has for them. Its
/// acquisitions take their parts along. The rest goes back to the budget when the object is
/// destroyed, by any thread.
///
/// Invariant: a byte goes to a single acquisition, or back to the budget.
class reserved_room {
 public:
  /// `room` keeps the client alive.
  reserved_room(std::shared_ptr<session_room> room, std::size_t bytes) noexcept
      : room_(std::move(room)), bytes_(bytes) {}
  reserved_room(const reserved_room&) = delete;
  reserved_room& operator=(const reserved_room&) = delete;
  ~reserved_room() {
    if (bytes_ != 0) room_->return_later(bytes_);
  }

  /// Returns whether there were so many bytes. Call it on the client's strand.
  bool take(std::size_t bytes) noexcept {
    if (bytes > bytes_) return false;
    bytes_ -= bytes;
    return true;
  }

 private:
  const std::shared_ptr<session_room> room_;
  std::size_t bytes_;
};

} // namespace zklock::detail
