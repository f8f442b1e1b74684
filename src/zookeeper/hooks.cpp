// What the C client calls instead of functions of the system and of its own;
// cmake/zookeeper_st.cmake sees to it.
#include "zookeeper/request_number.hpp"

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

extern "C" {
ssize_t zklock_c_send(int socket, const void* data, std::size_t size, int flags);
std::int32_t zklock_c_get_xid();
}

// It sends the length of a request, four bytes, and the request itself by two calls, with Nagle's
// algorithm off: two packets, of which the first wakes up the server for nothing. Nothing else that
// it sends has four bytes.
ssize_t zklock_c_send(int socket, const void* data, std::size_t size, int flags) {
  constexpr std::size_t length_of_a_length = 4;
  return ::send(socket, data, size, size == length_of_a_length ? flags | MSG_MORE : flags);
}

// Its own counter belongs to the process without any protection, begins with the time of day and
// runs through the negative numbers, where it takes a reply for that to credentials or a ping.
std::int32_t zklock_c_get_xid() {
  return zklock::zookeeper::next_request_number();
}
