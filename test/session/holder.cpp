// A process that holds a lock, or caches it, until it is killed, or until its standard input ends:
//
//   holder SERVERS PATH SESSION_TIMEOUT_IN_MS [cached]
//
// Without "cached" it acquires the lock and keeps the hold. With "cached" it uses the lock until
// its client caches the entry. Then it prints "held" or "cached". Its commands:
//
//   acquire    acquires the lock; prints "granted" and the first part of the token
//   release    releases the hold; prints "released"
//   look       prints the state of the hold
//   halt       stops the process. When continued, before any handler runs, it prints the state of
//              its hold, or acquires the lock if it has none
//
// It prints "lost" and the reason once a hold is lost.
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

client_options options_of(int count, char** arguments) {
  const std::chrono::milliseconds session_timeout(std::stol(arguments[3]));
  auto options = options_for(arguments[1], session_timeout);
  if (count > 4) options.lock_cache = {.idle_limit = session_timeout};
  return options;
}

void print_state(const hold& held) {
  const bool owns = held.owns_lock();
  const bool past = held.valid_until() < boot_clock::now();
  const char* const state = held.state() == hold_state::held       ? "held"
                            : held.state() == hold_state::in_doubt ? "in doubt"
                                                                   : "lost";
  std::cout << (owns ? "owns" : "does not own") << ", " << state << ", valid until a time "
            << (past ? "past" : "to come") << std::endl;
}

asio::awaitable<hold> acquire(mutex lock) {
  hold held = co_await lock.acquire();
  held.wait_lost([](error_code error, error_code reason) {
    if (!error) std::cout << "lost: " << reason.message() << std::endl;
  });
  co_return held;
}

asio::awaitable<hold> acquire_and_print(mutex lock) {
  hold held = co_await acquire(lock);
  std::cout << "granted " << held.token().transaction() << std::endl;
  co_return held;
}

asio::awaitable<void> use_until_cached(const client& zk, mutex lock) {
  while (zk.stats().total.handed_over == 0) {
    hold held = co_await lock.acquire();
    co_await held.release();
  }
  std::cout << (zk.cached() == 1 ? "cached" : "not cached") << std::endl;
}

asio::awaitable<void> serve(client& zk, std::string path, bool is_cached) {
  mutex lock(zk, path);
  hold held;
  if (is_cached) {
    co_await use_until_cached(zk, lock);
  } else {
    held = co_await acquire(lock);
    std::cout << "held" << std::endl;
  }
  asio::posix::stream_descriptor in(co_await asio::this_coro::executor, ::dup(STDIN_FILENO));
  for (std::string text;;) {
    const auto size =
        co_await asio::async_read_until(in, asio::dynamic_buffer(text), '\n', asio::use_awaitable);
    const auto command = text.substr(0, size - 1);
    text.erase(0, size);
    if (command == "acquire") {
      held = co_await acquire_and_print(lock);
    } else if (command == "release") {
      co_await held.release();
      std::cout << "released" << std::endl;
    } else if (command == "look") {
      print_state(held);
    } else if (command == "halt") {
      ::raise(SIGSTOP);
      if (held.state() == hold_state::empty)
        held = co_await acquire_and_print(lock);
      else
        print_state(held);
    }
  }
}

} // namespace

int main(int count, char** arguments) {
  asio::io_context io{1};
  client zk(io, options_of(count, arguments));
  asio::co_spawn(io, serve(zk, arguments[2], count > 4), [&](std::exception_ptr) { io.stop(); });
  io.run();
}
