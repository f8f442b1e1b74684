#include "zookeeper/wire.hpp"

#include "zookeeper/jute_reader.hpp"
#include "zookeeper/request_number.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t length_size = 4;

std::optional<server_fault> broken(const char* text) {
  return server_fault{server_fault::kind::broken, text};
}

} // namespace

// The C client sends the length of a request, four bytes, and the request itself by two calls, with
// Nagle's algorithm off: two packets, of which the first wakes up the server for nothing. Nothing
// else that it sends has four bytes.
ssize_t wire::send(int socket, const void* data, std::size_t size, int flags) noexcept {
  if (muted_ || !process_.is_current()) {
    errno = EPIPE;
    return -1;
  }
  return ::send(socket, data, size, size == length_size ? flags | MSG_MORE : flags);
}

ssize_t wire::receive(int socket, void* to, std::size_t size) noexcept {
  const bool closed = muted_ || !process_.is_current();
  if (closed || (checked_ == 0 && !find_frame(socket))) {
    if (closed || fault_) errno = EPROTO;
    return -1;
  }
  const auto given = std::min(size, checked_);
  std::memcpy(to, arrived_.bytes().data(), given);
  arrived_.drop(given);
  checked_ -= given;
  return static_cast<ssize_t>(given);
}

int wire::poll(pollfd* descriptors, nfds_t count, int timeout) const noexcept {
  // To read is not the C client's business: it takes whatever comes for what it waits for.
  const bool to_send = count == 1 && descriptors->events == POLLOUT;
  return ::poll(descriptors, count, may_wait_ && to_send ? timeout : 0);
}

std::int32_t wire::number_request() noexcept {
  last_number_ = next_request_number();
  try {
    if (const auto shape = std::exchange(next_shape_, std::nullopt))
      check_.expect(last_number_, *shape);
  } catch (...) {
    fault_ = broken("there is no memory to check its replies");
  }
  return last_number_;
}

bool wire::wait_for_last_reply(int socket, steady_clock::time_point deadline) noexcept {
  for (bool late = false; check_begin();) {
    if (const auto frame = arrived_.frame(); !frame.empty()) {
      jute_reader header(frame.substr(length_size));
      const auto number = header.read_int();
      header.read_long();
      const auto error = header.read_int();
      arrived_.drop(frame.size());
      if (number == last_number_) return error == 0;
      continue;
    }
    // Once more after the deadline: what has arrived by then counts.
    if (late) break;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    late = left.count() <= 0;
    pollfd readable{socket, POLLIN, 0};
    ::poll(&readable, 1, late ? 0 : static_cast<int>(left.count()));
    if (!fill(socket) && errno != EAGAIN && errno != EINTR) break;
  }
  return false;
}

// The first frame that has arrived is checked as soon as it is whole. What is missing is read, but
// not for so long that others on the thread would have to wait.
bool wire::find_frame(int socket) noexcept {
  constexpr int reads_at_once = 16;
  for (int reads = 0; check_begin(); ++reads) {
    if (const auto frame = arrived_.frame(); !frame.empty()) {
      fault_ = check_.check(frame.substr(length_size));
      checked_ = frame.size();
      return !fault_;
    }
    errno = EAGAIN;
    if (reads == reads_at_once || !fill(socket)) break;
  }
  return false;
}

bool wire::check_begin() noexcept {
  if (!fault_) fault_ = check_.check_begin(arrived_.bytes());
  return !fault_;
}

bool wire::fill(int socket) noexcept {
  try {
    const auto room = arrived_.room();
    const auto size = ::recv(socket, room.data(), room.size(), MSG_DONTWAIT);
    if (size > 0) arrived_.filled(static_cast<std::size_t>(size));
    if (size == 0) fault_ = broken("it closed the connection");
    return size > 0;
  } catch (...) {
    fault_ = broken("there is no memory for what it sends");
    return false;
  }
}

} // namespace zklock::zookeeper
