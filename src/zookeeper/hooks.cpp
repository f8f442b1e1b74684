// Replacements for some functions that the C client calls. cmake/zookeeper.cmake renames the
// symbols.
#include "zookeeper/library_call.hpp"
#include "zookeeper/wire.hpp"

#include <poll.h>
#include <sys/types.h>
#include <time.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

using zklock::zookeeper::library_call;

extern "C" {
ssize_t zklock_c_send(int socket, const void* data, std::size_t size, int flags);
ssize_t zklock_c_recv(int socket, void* to, std::size_t size, int flags);
int zklock_c_poll(pollfd* descriptors, nfds_t count, int timeout);
int zklock_c_clock_gettime(clockid_t which, timespec* time);
std::int32_t zklock_c_get_xid();
}

ssize_t zklock_c_send(int socket, const void* data, std::size_t size, int) {
  return library_call::current().send(socket, data, size);
}

ssize_t zklock_c_recv(int socket, void* to, std::size_t size, int) {
  return library_call::current().receive(socket, to, size);
}

int zklock_c_poll(pollfd* descriptors, nfds_t count, int timeout) {
  return library_call::current().poll(descriptors, count, timeout);
}

int zklock_c_clock_gettime(clockid_t, timespec* time) {
  *time = library_call::current().time();
  return 0;
}

// The C client's own counter is shared by all threads without synchronization, and begins with the
// time of day. It also produces negative numbers, which the protocol reserves for pings and
// credentials.
std::int32_t zklock_c_get_xid() {
  return library_call::current().next_xid();
}
