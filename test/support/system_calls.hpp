#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace zklock::test {

/// The numbers of some system calls. A program that counts them gets functions that replace those
/// of the C library: the calls of a reactor and of sockets.
class system_calls {
 public:
  static constexpr std::array names{"epoll_wait", "epoll_ctl", "send",  "sendmsg", "recv",
                                    "recvmsg",    "read",      "write", "poll",    "ppoll"};

  /// Returns the calls of this thread so far.
  static system_calls of_this_thread() noexcept;

  /// Returns the number of calls of all threads of the process so far.
  static std::uint64_t of_process() noexcept;

  std::uint64_t all() const noexcept;

  /// Such as `recv=2 send=1`.
  std::string text() const;

  friend system_calls operator-(system_calls later, const system_calls& earlier) noexcept;

 private:
  std::array<std::uint64_t, names.size()> counts_{};
};

} // namespace zklock::test
