// A process that keeps a lock until it is killed, or until its standard input ends:
//
//   keeper SERVERS PATH SESSION_TIMEOUT_IN_MS
//
// Prints "kept" once it keeps the lock. Its commands:
//
//   acquire    prints "granted" and the first part of the token; later "lost" if the hold is lost
//   release    prints "released"
//   halt       stops the process; when continued, before any handler runs, it prints whether it
//   owns
//              the lock that it held, or acquires the lock if it held none
#include "support/world.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>

#include <signal.h>
#include <unistd.h>

#include <iostream>

using namespace zklock;
using namespace zklock::test;

namespace {

client_options options_of(char** arguments) {
  const std::chrono::milliseconds session_timeout(std::stol(arguments[3]));
  auto options = options_for(arguments[1], session_timeout);
  options.lock_cache = {.idle_limit = session_timeout};
  return options;
}

asio::awaitable<void> keep(const client& zk, mutex lock) {
  while (zk.stats().total.handed_over == 0) {
    hold held = co_await lock.acquire();
    co_await held.release();
  }
  std::cout << (zk.cached() == 1 ? "kept" : "not kept") << std::endl;
}

asio::awaitable<hold> acquire(mutex lock) {
  hold held = co_await lock.acquire();
  held.wait_lost([](error_code error, error_code reason) {
    if (!error) std::cout << "lost: " << reason.message() << std::endl;
  });
  std::cout << "granted " << held.token().transaction() << std::endl;
  co_return held;
}

asio::awaitable<void> serve(client& zk, std::string path) {
  mutex lock(zk, path);
  co_await keep(zk, lock);
  hold held;
  asio::posix::stream_descriptor in(co_await asio::this_coro::executor, ::dup(STDIN_FILENO));
  for (std::string text;;) {
    const auto size =
        co_await asio::async_read_until(in, asio::dynamic_buffer(text), '\n', asio::use_awaitable);
    const auto command = text.substr(0, size - 1);
    text.erase(0, size);
    if (command == "acquire") {
      held = co_await acquire(lock);
    } else if (command == "release") {
      co_await held.release();
      held = hold();
      std::cout << "released" << std::endl;
    } else if (command == "halt") {
      ::raise(SIGSTOP);
      if (held.state() == hold_state::empty)
        held = co_await acquire(lock);
      else
        std::cout << (held.owns_lock() ? "owns" : "does not own") << std::endl;
    }
  }
}

} // namespace

int main(int, char** arguments) {
  asio::io_context io{1};
  client zk(io, options_of(arguments));
  asio::co_spawn(io, serve(zk, arguments[2]), [&](std::exception_ptr) { io.stop(); });
  io.run();
}
