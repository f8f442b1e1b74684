#include "support/system_calls.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string_view>

namespace zklock::test {

namespace {

constexpr std::size_t index_of(std::string_view name) {
  return static_cast<std::size_t>(
      std::find(system_calls::names.begin(), system_calls::names.end(), name) -
      system_calls::names.begin());
}

// The size of the kernel's set of signals.
constexpr std::size_t signal_set_size = 8;

constinit thread_local std::array<std::uint64_t, system_calls::names.size()> counted{};
constinit std::atomic<std::uint64_t> counted_in_process{0};

template <class... Arguments>
long call(std::size_t index, long number, Arguments... arguments) {
  ++counted[index];
  counted_in_process.fetch_add(1, std::memory_order_relaxed);
  return ::syscall(number, arguments...);
}

} // namespace

system_calls system_calls::of_this_thread() noexcept {
  system_calls result;
  result.counts_ = counted;
  return result;
}

std::uint64_t system_calls::of_process() noexcept {
  return counted_in_process;
}

std::uint64_t system_calls::all() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string system_calls::text() const {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (counts_[i] != 0)
      all.append(all.empty() ? "" : " ")
          .append(names[i])
          .append("=")
          .append(std::to_string(counts_[i]));
  return all;
}

system_calls operator-(system_calls later, const system_calls& earlier) noexcept {
  for (std::size_t i = 0; i < later.counts_.size(); ++i)
    later.counts_[i] -= earlier.counts_[i];
  return later;
}

} // namespace zklock::test

using zklock::test::call;
using zklock::test::index_of;
using zklock::test::signal_set_size;

extern "C" {

int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  return static_cast<int>(call(index_of("epoll_wait"), SYS_epoll_pwait, epoll, events, most,
                               timeout, nullptr, signal_set_size));
}

int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  return static_cast<int>(
      call(index_of("epoll_ctl"), SYS_epoll_ctl, epoll, operation, descriptor, event));
}

ssize_t send(int socket, const void* data, std::size_t size, int flags) {
  return call(index_of("send"), SYS_sendto, socket, data, size, flags, nullptr, 0);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  return call(index_of("sendmsg"), SYS_sendmsg, socket, message, flags);
}

ssize_t recv(int socket, void* to, std::size_t size, int flags) {
  return call(index_of("recv"), SYS_recvfrom, socket, to, size, flags, nullptr, nullptr);
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  return call(index_of("recvmsg"), SYS_recvmsg, socket, message, flags);
}

ssize_t read(int file, void* to, std::size_t size) {
  return call(index_of("read"), SYS_read, file, to, size);
}

ssize_t write(int file, const void* from, std::size_t size) {
  return call(index_of("write"), SYS_write, file, from, size);
}

int poll(pollfd* descriptors, nfds_t count, int timeout) {
  return static_cast<int>(call(index_of("poll"), SYS_poll, descriptors, count, timeout));
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* signals) {
  timespec left{};
  if (timeout) left = *timeout;
  return static_cast<int>(call(index_of("ppoll"), SYS_ppoll, descriptors, count,
                               timeout ? &left : nullptr, signals, signal_set_size));
}

} // extern "C"
