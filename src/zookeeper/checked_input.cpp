#include "zookeeper/checked_input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace zklock::zookeeper {

ssize_t checked_input::read(int socket, void* to, std::size_t size) noexcept {
  if (checked_ == 0 && !find_frame(socket)) return -1;
  const auto given = std::min(size, checked_);
  std::memcpy(to, arrived_.bytes().data(), given);
  arrived_.consume(given);
  checked_ -= given;
  return static_cast<ssize_t>(given);
}

std::string_view checked_input::take_unchecked() noexcept {
  if (!check_begin()) return {};
  const auto frame = arrived_.frame();
  if (frame.empty()) return {};
  // The bytes stay where they are until the next read.
  arrived_.consume(frame.size());
  return frame.substr(frame_length_size);
}

// The number of reads is bounded, so that other handlers of the thread run in between.
bool checked_input::find_frame(int socket) noexcept {
  constexpr int reads_at_once = 16;
  has_unread_ = false;
  for (int reads = 0; check_begin(); ++reads) {
    if (const auto frame = arrived_.frame(); !frame.empty()) {
      fault_ = check_.check(frame.substr(frame_length_size));
      checked_ = frame.size();
      return !fault_;
    }
    errno = EAGAIN;
    has_unread_ = reads == reads_at_once;
    if (has_unread_ || !fill(socket)) break;
  }
  return false;
}

bool checked_input::check_begin() noexcept {
  if (!fault_) fault_ = check_.check_begin(arrived_.bytes());
  return !fault_;
}

bool checked_input::fill(int socket) noexcept {
  const auto room = arrived_.prepare();
  const auto size = from_.receive(socket, room);
  if (size > 0) arrived_.commit(static_cast<std::size_t>(size));
  if (size == 0) fault_ = server_fault{server_fault::kind::broken, "it closed the connection"};
  return size > 0;
}

} // namespace zklock::zookeeper
