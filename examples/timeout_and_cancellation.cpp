// Three acquisitions that fail: a try of a busy lock, a timeout and a cancellation. None of them
// leaves an entry in the queue. The errors are error codes here, not exceptions.
//
//   timeout_and_cancellation [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string_view>
#include <tuple>

namespace asio = boost::asio;
using namespace std::chrono_literals;

void report(std::string_view attempt, zklock::error_code error) {
  std::cout << attempt << ": " << error.message() << std::endl;
  if (error == asio::error::operation_aborted)
    std::cout << "  this program cancelled it" << std::endl;
  else if (error == zklock::errc::busy || error == zklock::errc::timed_out)
    std::cout << "  the lock is still held: try again later" << std::endl;
  else if (error == zklock::errc::not_connected)
    std::cout << "  no server answered: the state of the lock is not known" << std::endl;
  else if (error)
    std::cout << "  trying again will not help" << std::endl;
}

asio::awaitable<void> work(zklock::client& client) {
  zklock::mutex lock{client, "/locks/timeout_and_cancellation"};
  zklock::hold hold = co_await lock.acquire(30s);

  // A try that finds the lock taken is no error: the hold is empty.
  if (const zklock::hold tried = co_await lock.try_acquire(); !tried)
    std::cout << "a try: the lock is taken" << std::endl;

  // The timeout covers connecting, creating the entry and waiting in the queue. as_tuple makes the
  // error a part of the result. Without it the error is thrown.
  auto waited = co_await lock.acquire(300ms, asio::as_tuple(asio::deferred));
  report("a wait of 300 ms", std::get<0>(waited));

  // A signal cancels a single operation. Emit it on the operation's executor: here the only thread,
  // in other programs the strand.
  asio::cancellation_signal stop;
  lock.acquire(asio::bind_cancellation_slot(stop.slot(), [](auto error, zklock::hold) {
    report("a wait without end, cancelled", error);
  }));
  asio::steady_timer timer(co_await asio::this_coro::executor, 300ms);
  co_await timer.async_wait(asio::use_awaitable);
  stop.emit(asio::cancellation_type::total);

  co_await hold.release();
  hold = co_await lock.acquire(30s);
  std::cout << "free again: held, with token " << hold.token() << std::endl;
  co_await client.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  asio::co_spawn(io, work(client), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "timeout_and_cancellation: " << e.what() << '\n';
  return 1;
}
