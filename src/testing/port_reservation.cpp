#include "testing/port_reservation.hpp"

#include "testing/system_call.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace zklock::testing {
namespace {

int bind_to(std::uint16_t port) {
  int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (one < 0) throw_system_error("cannot make a socket");
  int yes = 1;
  ::setsockopt(one, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (::bind(one, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    int why = errno;
    ::close(one);
    throw_system_error("cannot use port " + std::to_string(port) + " on 127.0.0.1", why);
  }
  return one;
}

} // namespace

port_reservation::port_reservation(std::uint16_t port) : socket_(bind_to(port)) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}

port_reservation::~port_reservation() {
  ::close(socket_);
}

} // namespace zklock::testing
