#include "testing/port_reservation.hpp"

#include "testing/system_call.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <sys/socket.h>

namespace zklock::testing {
namespace {

using boost::asio::ip::tcp;

tcp::endpoint on_loopback(std::uint16_t port) {
  return {boost::asio::ip::address_v4::loopback(), port};
}

detail::unique_descriptor bind_to(const tcp::endpoint& wanted) {
  detail::unique_descriptor one(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (one.get() < 0) throw_system_error("cannot create a socket");
  int yes = 1;
  ::setsockopt(one.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(one.get(), wanted.data(), static_cast<socklen_t>(wanted.size())) != 0)
    throw_system_error("cannot use port " + std::to_string(wanted.port()) + " on 127.0.0.1");
  return one;
}

std::uint16_t port_of(int socket) {
  tcp::endpoint bound;
  auto size = static_cast<socklen_t>(bound.capacity());
  ::getsockname(socket, bound.data(), &size);
  return bound.port();
}

} // namespace

// Not a socket of Asio: its reactor needs three more descriptors.
port_reservation::port_reservation(std::uint16_t port)
    : socket_(bind_to(on_loopback(port))), port_(port_of(socket_.get())) {}

} // namespace zklock::testing
