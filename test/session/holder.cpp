// A process that holds a lock until it is killed, or until its standard input ends:
//
//   holder SERVERS PATH SESSION_TIMEOUT_IN_MS
//
// Prints "held" once the lock is held, and "lost" once it is lost. At "look" it prints what it sees
// of its hold. At "halt" it stops itself; when continued, it prints what it sees of its hold before
// any handler runs.
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

void say_what_is_seen(const hold& held) {
  const bool owns = held.owns_lock();
  const bool past = held.valid_until() < boot_clock::now();
  const char* const state = held.state() == hold_state::held       ? "held"
                            : held.state() == hold_state::in_doubt ? "in doubt"
                                                                   : "lost";
  std::cout << (owns ? "owns" : "does not own") << ", " << state << ", valid until a time "
            << (past ? "past" : "to come") << std::endl;
}

asio::awaitable<void> serve(mutex lock) {
  const hold held = co_await lock.acquire();
  std::cout << "held" << std::endl;
  held.wait_lost([](error_code error, error_code reason) {
    if (!error) std::cout << "lost: " << reason.message() << std::endl;
  });
  asio::posix::stream_descriptor in(co_await asio::this_coro::executor, ::dup(STDIN_FILENO));
  for (std::string text;;) {
    const auto size =
        co_await asio::async_read_until(in, asio::dynamic_buffer(text), '\n', asio::use_awaitable);
    const auto command = text.substr(0, size - 1);
    text.erase(0, size);
    if (command == "halt") ::raise(SIGSTOP);
    say_what_is_seen(held);
  }
}

} // namespace

int main(int, char** arguments) {
  asio::io_context io{1};
  client zk(io, options_for(arguments[1], std::chrono::milliseconds(std::stol(arguments[3]))));
  asio::co_spawn(io, serve(mutex(zk, arguments[2])), [&](std::exception_ptr) { io.stop(); });
  io.run();
}
