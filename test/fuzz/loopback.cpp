#include "loopback.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace {

zklock::detail::unique_descriptor& server_end() {
  static zklock::detail::unique_descriptor descriptor;
  return descriptor;
}

} // namespace

// The name that the linker's option --wrap=connect asks for.
extern "C" int __wrap_connect(int socket, const sockaddr*, socklen_t);

int __wrap_connect(int socket, const sockaddr*, socklen_t) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  ::dup3(ends[0], socket, O_CLOEXEC);
  ::close(ends[0]);
  server_end() = zklock::detail::unique_descriptor{ends[1]};
  errno = EINPROGRESS;
  return -1;
}

namespace zklock::fuzz {

detail::unique_descriptor take_server_end() noexcept {
  return std::exchange(server_end(), detail::unique_descriptor{});
}

} // namespace zklock::fuzz
