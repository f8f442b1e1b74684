#include "testing/blocking_socket.hpp"

#include "testing/endpoint.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace zklock::testing {
namespace {

/// Returns whether any of `events` happened before the deadline.
bool poll_one(int socket, short events, deadline until) {
  pollfd one{socket, events, 0};
  for (;;) {
    int ready = ::poll(&one, 1, static_cast<int>(until.left().count()));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) throw_system_error("cannot wait for a connection");
  }
}

} // namespace

blocking_socket::blocking_socket(const std::string& address, deadline until) : address_(address) {
  auto endpoint = parse_endpoint(address);
  socket_ = ::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) throw_system_error("cannot make a socket");
  try {
    int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (::connect(socket_, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0) {
      if (errno != EINPROGRESS) throw_system_error("cannot connect to " + address);
      wait(POLLOUT, until);
      int problem = 0;
      socklen_t size = sizeof problem;
      ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &problem, &size);
      if (problem != 0) throw_system_error("cannot connect to " + address, problem);
    }
  } catch (...) {
    ::close(socket_);
    throw;
  }
}

blocking_socket::~blocking_socket() {
  ::close(socket_);
}

void blocking_socket::write(std::string_view bytes, deadline until) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      wait(POLLOUT, until);
    } else if (errno != EINTR) {
      throw_system_error("the connection to " + address_ + " is lost");
    }
  }
}

std::string blocking_socket::read(std::size_t size, deadline until) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    std::size_t some = read_some(bytes.data() + done, size - done, until);
    if (some == 0) throw error("the connection to " + address_ + " was closed by the server");
    done += some;
  }
  return bytes;
}

std::string blocking_socket::read_all(deadline until) {
  std::string all;
  std::array<char, std::size_t{16} * 1024> buffer;
  while (std::size_t some = read_some(buffer.data(), buffer.size(), until))
    all.append(buffer.data(), some);
  return all;
}

bool blocking_socket::wait_readable(deadline until) {
  return poll_one(socket_, POLLIN, until);
}

void blocking_socket::wait(short events, deadline until) {
  if (!poll_one(socket_, events, until)) throw error("no answer from " + address_ + " in time");
}

std::size_t blocking_socket::read_some(char* to, std::size_t size, deadline until) {
  for (;;) {
    ssize_t some = ::recv(socket_, to, size, 0);
    if (some >= 0) return static_cast<std::size_t>(some);
    if (errno == EAGAIN) {
      wait(POLLIN, until);
    } else if (errno != EINTR) {
      throw_system_error("the connection to " + address_ + " is lost");
    }
  }
}

} // namespace zklock::testing
