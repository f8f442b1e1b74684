// The calls with sockets, and poll(). See calls_files.cpp for the names.
#include "deterministic/kernel/poll.hpp"
#include "deterministic/kernel/socket.hpp"
#include "deterministic/kernel/system_call.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

using namespace deterministic;

namespace {

std::string readable(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    const auto& v4 = *reinterpret_cast<const sockaddr_in*>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return std::string(text) + ':' + std::to_string(ntohs(v4.sin_port));
  }
  const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(address);
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  return '[' + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
}

template <class Function>
auto with_socket(kernel& in, int number, Function function)
    -> decltype(function(std::declval<deterministic::socket&>())) {
  using result = decltype(function(std::declval<deterministic::socket&>()));
  in.checkpoint();
  auto* const found = in.files().find_as<deterministic::socket>(number);
  if (!found) return finished(in, result{in.files().find(number) ? -ENOTSOCK : -EBADF});
  return finished(in, function(*found));
}

ssize_t send_by(kernel& in, int number, std::string_view bytes, int flags) {
  in.record().add(bytes.data(), bytes.size());
  if ((flags & MSG_MORE) != 0) in.add_fault("bytes wait for more in the kernel");
  return with_socket(in, number, [&](deterministic::socket& it) { return it.send(bytes, flags); });
}

} // namespace

extern "C" {

int __real_socket(int, int, int);
int __wrap_socket(int family, int type, int protocol) {
  kernel* const in = calling();
  if (!in) return __real_socket(family, type, protocol);
  in->checkpoint();
  if (in->current()->lacks_descriptor(false)) return finished(*in, -EMFILE);
  auto made = std::make_shared<deterministic::socket>(*in, in->current(), family);
  made->set_blocking(!(type & SOCK_NONBLOCK));
  return finished(*in, in->files().open(std::move(made)));
}

int __real_connect(int, const sockaddr*, socklen_t);
int __wrap_connect(int number, const sockaddr* address, socklen_t size) {
  kernel* const in = calling(number);
  if (!in) return __real_connect(number, address, size);
  return with_socket(*in, number,
                     [&](deterministic::socket& it) { return it.connect(readable(address)); });
}

ssize_t __real_send(int, const void*, std::size_t, int);
ssize_t __wrap_send(int number, const void* bytes, std::size_t size, int flags) {
  kernel* const in = calling(number);
  if (!in) return __real_send(number, bytes, size, flags);
  return send_by(*in, number, {static_cast<const char*>(bytes), size}, flags);
}

ssize_t __real_sendmsg(int, const msghdr*, int);
ssize_t __wrap_sendmsg(int number, const msghdr* message, int flags) {
  kernel* const in = calling(number);
  if (!in) return __real_sendmsg(number, message, flags);
  std::string bytes;
  for (const auto& each : std::span(message->msg_iov, message->msg_iovlen))
    bytes.append(static_cast<const char*>(each.iov_base), each.iov_len);
  return send_by(*in, number, bytes, flags);
}

ssize_t __real_recv(int, void*, std::size_t, int);
ssize_t __wrap_recv(int number, void* to, std::size_t size, int flags) {
  kernel* const in = calling(number);
  if (!in) return __real_recv(number, to, size, flags);
  return with_socket(*in, number,
                     [&](deterministic::socket& it) { return it.receive(to, size, flags); });
}

int __real_shutdown(int, int);
int __wrap_shutdown(int number, int how) {
  kernel* const in = calling(number);
  if (!in) return __real_shutdown(number, how);
  return with_socket(*in, number, [&](deterministic::socket& it) { return it.shutdown(how); });
}

int __real_getsockopt(int, int, int, void*, socklen_t*);
int __wrap_getsockopt(int number, int level, int option, void* value, socklen_t* size) {
  kernel* const in = calling(number);
  if (!in) return __real_getsockopt(number, level, option, value, size);
  return with_socket(*in, number, [&](deterministic::socket& it) {
    const int found = level == SOL_SOCKET && option == SO_ERROR ? it.take_error() : 0;
    std::memcpy(value, &found, std::min<std::size_t>(*size, sizeof found));
    return 0;
  });
}

int __real_setsockopt(int, int, int, const void*, socklen_t);
int __wrap_setsockopt(int number, int level, int option, const void* value, socklen_t size) {
  kernel* const in = calling(number);
  if (!in) return __real_setsockopt(number, level, option, value, size);
  return with_socket(*in, number, [](deterministic::socket&) { return 0; });
}

int __real_getpeername(int, sockaddr*, socklen_t*);
int __wrap_getpeername(int number, sockaddr* address, socklen_t* size) {
  kernel* const in = calling(number);
  if (!in) return __real_getpeername(number, address, size);
  return with_socket(*in, number, [&](deterministic::socket& it) {
    if (!it.is_connected()) return -ENOTCONN;
    std::memset(address, 0, *size);
    address->sa_family = static_cast<sa_family_t>(it.family());
    return 0;
  });
}

int __real_poll(pollfd*, nfds_t, int);
int __wrap_poll(pollfd* descriptors, nfds_t count, int timeout) {
  kernel* const in = count != 0 ? calling(descriptors->fd) : nullptr;
  if (!in) return __real_poll(descriptors, count, timeout);
  in->checkpoint();
  return finished(*in, deterministic::poll(*in, {descriptors, count}, timeout));
}

int __real_getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**);
int __wrap_getaddrinfo(const char* host, const char* service, const addrinfo* hints,
                       addrinfo** found) {
  kernel* const in = calling();
  if (!in) return __real_getaddrinfo(host, service, hints, found);
  in->checkpoint();
  return in->host_names().resolve(host, service, hints, found);
}

void __real_freeaddrinfo(addrinfo*);
void __wrap_freeaddrinfo(addrinfo* first) {
  calling() ? names::release(first) : __real_freeaddrinfo(first);
}

} // extern "C"
