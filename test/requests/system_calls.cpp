// The system calls of the thread that runs a client's context.
#include "support/scene.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <map>
#include <ostream>
#include <string>

namespace {

using counts = std::map<std::string, int>;

// The calls of this thread while it is watched.
thread_local counts* watched = nullptr;

template <class... Arguments>
auto call(const char* name, long number, Arguments... arguments) {
  if (watched) ++(*watched)[name];
  return ::syscall(number, arguments...);
}

} // namespace

// These functions replace the C library's in all code that is linked into the test.
extern "C" {

int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  return static_cast<int>(
      call("epoll_wait", SYS_epoll_pwait, epoll, events, most, timeout, nullptr, 8));
}

int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  return static_cast<int>(call("epoll_ctl", SYS_epoll_ctl, epoll, operation, descriptor, event));
}

ssize_t recv(int socket, void* to, std::size_t size, int flags) {
  return call("recv", SYS_recvfrom, socket, to, size, flags, nullptr, nullptr);
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  return call("recvmsg", SYS_recvmsg, socket, message, flags);
}

ssize_t send(int socket, const void* data, std::size_t size, int flags) {
  return call("send", SYS_sendto, socket, data, size, flags, nullptr, 0);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  return call("sendmsg", SYS_sendmsg, socket, message, flags);
}

ssize_t read(int file, void* to, std::size_t size) {
  return call("read", SYS_read, file, to, size);
}

ssize_t write(int file, const void* from, std::size_t size) {
  return call("write", SYS_write, file, from, size);
}

int poll(pollfd* descriptors, nfds_t count, int timeout) {
  return static_cast<int>(call("poll", SYS_poll, descriptors, count, timeout));
}

} // extern "C"

using namespace zklock;
using namespace zklock::test;

namespace {

struct called {
  counts by_name;

  int all() const {
    int sum = 0;
    for (const auto& [name, count] : by_name)
      sum += count;
    return sum;
  }

  friend std::ostream& operator<<(std::ostream& out, const called& those) {
    for (const auto& [name, count] : those.by_name)
      out << name << '=' << count << ' ';
    return out;
  }
};

constexpr int cycles = 200;

// A ping, a check of the client, and two more requests.
constexpr int others = 4 * 5;

struct watched_scene : scene {
  /// The calls of a coroutine that acquires and releases the lock, again and again.
  template <class Release>
  called count(Release release) {
    counts found;
    bool done = false;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
          for (int i = 0; i < 2 * cycles; ++i) {
            // The client has seen what the program does.
            if (i == cycles) watched = &found;
            hold held = co_await lock.acquire(30s);
            co_await release(held);
          }
          watched = nullptr;
        },
        [&](std::exception_ptr failed) {
          watched = nullptr;
          BOOST_TEST(!failed);
          done = true;
        });
    run_until(io, [&] { return done; });
    return {std::move(found)};
  }

  mutex lock{zk, path};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(system_calls, watched_scene, *boost::unit_test::timeout(60))

// To send, to wait again, to be woken, to receive.
BOOST_AUTO_TEST_CASE(request_takes_four) {
  const auto found = count([](hold& held) { return held.release(asio::use_awaitable); });
  constexpr int requests = 2 * cycles;
  BOOST_TEST(found.all() <= 4 * requests + others, found);
}

BOOST_AUTO_TEST_CASE(release_in_the_background_goes_with_the_next_acquire) {
  const auto found = count([](hold& held) -> asio::awaitable<void> {
    held = hold();
    co_return;
  });
  BOOST_TEST(found.all() <= 4 * cycles + others, found);
}

BOOST_AUTO_TEST_SUITE_END()
