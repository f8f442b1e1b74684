// What the C client calls for send(2); cmake/zookeeper_st.cmake sees to it.
#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>

extern "C" ssize_t zklock_c_send(int socket, const void* data, std::size_t size, int flags);

// It sends the length of a request, four bytes, and the request itself by two calls, with Nagle's
// algorithm off: two packets, of which the first wakes up the server for nothing. Nothing else that
// it sends has four bytes.
ssize_t zklock_c_send(int socket, const void* data, std::size_t size, int flags) {
  constexpr std::size_t length_of_a_length = 4;
  return ::send(socket, data, size, size == length_of_a_length ? flags | MSG_MORE : flags);
}
