#include "bare_session.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>

namespace bench {

using namespace std::chrono_literals;

namespace {

constexpr int session_timeout = 30'000;

std::chrono::microseconds as_time(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

zhandle_t* open(const std::string& servers) {
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  const auto ignore = [](zhandle_t*, int, int, const char*, void*) {};
  return zookeeper_init(servers.c_str(), ignore, session_timeout, nullptr, nullptr, 0);
}

} // namespace

void check(int code, const std::string& what) {
  if (code == ZOK) return;
  std::cerr << "bench_bare: " << what << ": " << zerror(code) << std::endl;
  std::_Exit(1);
}

bare_session::bare_session(const std::string& servers) : handle_(open(servers), zookeeper_close) {
  if (!handle_) throw std::runtime_error("invalid servers " + servers);
  for (const auto end = clock::now() + 20s; zoo_state(handle()) != ZOO_CONNECTED_STATE;) {
    if (clock::now() > end) throw std::runtime_error("cannot connect to " + servers);
    turn(clock::now() + 100ms);
  }
  // Without this, the C client resolves the servers' addresses at each turn.
  zoo_set_servers_resolution_delay(handle(), -1);
}

void bare_session::make(const std::string& path, int create_mode) {
  std::optional<int> done;
  const auto note = [](int code, const char*, const void* context) {
    *static_cast<std::optional<int>*>(const_cast<void*>(context)) = code;
  };
  check(zoo_acreate(handle(), path.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, create_mode, note, &done),
        "create " + path);
  while (!done)
    turn(clock::now() + 1s);
  if (*done != ZNODEEXISTS) check(*done, "create " + path);
}

void bare_session::run_until(clock::time_point end) {
  while (clock::now() < end)
    turn(end);
}

void bare_session::turn(clock::time_point end) {
  pollfd socket{-1, 0, 0};
  int interest = 0;
  timeval wait{};
  zookeeper_interest(handle(), &socket.fd, &interest, &wait);
  if ((interest & ZOOKEEPER_READ) != 0) socket.events |= POLLIN;
  if ((interest & ZOOKEEPER_WRITE) != 0) socket.events |= POLLOUT;

  const std::chrono::nanoseconds most =
      std::clamp<std::chrono::nanoseconds>(end - clock::now(), 0ns, as_time(wait) + 1ms);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
  const timespec limit{seconds.count(), (most - seconds).count()};
  ::ppoll(&socket, 1, &limit, nullptr);

  int events = 0;
  if ((socket.revents & (POLLIN | POLLHUP | POLLERR)) != 0) events |= ZOOKEEPER_READ;
  if ((socket.revents & POLLOUT) != 0) events |= ZOOKEEPER_WRITE;
  if (events == 0) return;
  // A call processes a single message: repeats while there are more.
  while (zookeeper_process(handle(), events) == ZOK)
    events = ZOOKEEPER_READ;
  if (is_unrecoverable(handle()) != ZOK) throw std::runtime_error("the session has ended");
}

} // namespace bench
