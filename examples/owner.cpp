// Makes a mutex reentrant with an owner: a function that holds the lock calls a function that
// acquires it again. Then a hold limit ends work that takes too long.
//
//   owner [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> touch(zklock::mutex& file, zklock::owner me) {
  // The owner holds the lock already and is granted it at once. Without the owner this waits for
  // itself until the timeout.
  const zklock::acquire_options options{.timeout = 5s, .owner = me};
  zklock::hold hold = co_await file.acquire(options);
  std::cout << "touched with token " << hold.token() << std::endl;
}

asio::awaitable<void> rename(zklock::mutex& file, zklock::owner me) {
  const zklock::acquire_options options{.timeout = 5s, .owner = me};
  zklock::hold hold = co_await file.acquire(options);
  std::cout << "renamed with token " << hold.token() << std::endl;
  co_await touch(file, me);
}

asio::awaitable<void> work_too_long(zklock::mutex& file) {
  const zklock::acquire_options options{.timeout = 5s, .hold_limit = 200ms};
  try {
    co_await zklock::with_lock(file, options, []() -> asio::awaitable<void> {
      asio::steady_timer hour(co_await asio::this_coro::executor, 1h);
      co_await hour.async_wait(asio::use_awaitable);
    });
  } catch (const boost::system::system_error& error) {
    if (error.code() != zklock::errc::hold_limit_reached) throw;
    std::cout << "took too long: " << error.code().message() << std::endl;
  }
}

asio::awaitable<void> run(zklock::client& client) {
  zklock::mutex file{client, "/locks/files/report"};
  co_await rename(file, zklock::owner());
  co_await work_too_long(file);
  co_await client.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};
  asio::co_spawn(io, run(client), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "owner: " << e.what() << '\n';
  return 1;
}
