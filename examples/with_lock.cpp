// with_lock acquires a lock, runs a coroutine and releases the lock. It cancels the coroutine when
// the lock is lost; the second part loses the lock on purpose to show that.
//
//   with_lock [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
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

// Works in steps. Cancellation needs no code here: the awaited operation throws operation_aborted.
// A body must not catch that and continue.
asio::awaitable<int> count_to(int end) {
  asio::steady_timer step(co_await asio::this_coro::executor);
  for (int i = 1; i <= end; ++i) {
    step.expires_after(100ms);
    co_await step.async_wait(asio::use_awaitable);
    std::cout << "  step " << i << std::endl;
  }
  co_return end;
}

asio::awaitable<void> work(zklock::client& client) {
  zklock::mutex lock{client, "/locks/with_lock"};

  // The body is named: gcc 12 destroys a capturing lambda twice when it is written inside the
  // expression of a co_await.
  int end = 3;
  auto body = [&end](zklock::hold& hold) {
    std::cout << "held, with token " << hold.token() << std::endl;
    return count_to(end);
  };
  std::cout << "counted to " << co_await zklock::with_lock(lock, 30s, body) << std::endl;

  // Closing the client ends the session, as a long network failure does.
  asio::steady_timer timer(co_await asio::this_coro::executor, 550ms);
  timer.async_wait([&client](auto error) {
    if (!error) client.close(asio::detached);
  });
  end = 1000;
  try {
    co_await zklock::with_lock(lock, 30s, body);
  } catch (const boost::system::system_error& e) {
    std::cout << "lost the lock: " << e.code().message() << std::endl;
  }
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  asio::co_spawn(io, work(client), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "with_lock: " << e.what() << '\n';
  return 1;
}
