#include "zookeeper/plain_transport.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace zklock::zookeeper {

ssize_t plain_transport::send(int socket, const void* data, std::size_t size, bool more) noexcept {
  if (more) {
    kept_.append(static_cast<const char*>(data), size);
    return static_cast<ssize_t>(size);
  }
  std::array<iovec, 2> parts{{{kept_.data(), kept_.size()}, {const_cast<void*>(data), size}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const auto sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  if (sent < 0) return sent;
  const auto of_kept = std::min(static_cast<std::size_t>(sent), kept_.size());
  kept_.erase(0, of_kept);
  if (const auto of_data = sent - static_cast<ssize_t>(of_kept); of_data != 0) return of_data;
  // The socket has taken kept bytes only. The caller sends its bytes again once it takes more.
  errno = EAGAIN;
  return -1;
}

ssize_t plain_transport::receive(int socket, std::span<char> to) noexcept {
  const auto size = ::recv(socket, to.data(), to.size(), MSG_DONTWAIT);
  is_drained_ = size > 0 && static_cast<std::size_t>(size) < to.size();
  return size;
}

} // namespace zklock::zookeeper
