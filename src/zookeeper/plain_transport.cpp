#include "zookeeper/plain_transport.hpp"

#include <sys/socket.h>

namespace zklock::zookeeper {

ssize_t plain_transport::send(int socket, const void* data, std::size_t size, bool more) noexcept {
  return ::send(socket, data, size, more ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL);
}

ssize_t plain_transport::receive(int socket, std::span<char> to) noexcept {
  return ::recv(socket, to.data(), to.size(), MSG_DONTWAIT);
}

} // namespace zklock::zookeeper
