// Three ways not to get a lock: it is busy, the time is up, the caller has changed its mind.
// None of them leaves anything behind in the queue. Here they are error codes, not exceptions.
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
    std::cout << "  we cancelled it ourselves" << std::endl;
  else if (error == zklock::errc::busy || error == zklock::errc::timed_out)
    std::cout << "  somebody else has the lock: try again later" << std::endl;
  else if (error == zklock::errc::not_connected)
    std::cout << "  no server answered: whether the lock is free is not known" << std::endl;
  else if (error)
    std::cout << "  trying again will not help" << std::endl;
}

asio::awaitable<void> work(zklock::client& client) {
  zklock::mutex lock{client, "/locks/timeout_and_cancellation"};
  zklock::hold hold = co_await lock.acquire(30s);

  // With as_tuple the error is a part of the result; without it, it would be thrown.
  auto tried = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
  report("a try", std::get<0>(tried));

  // The timeout covers all there is to wait for: connecting, getting in line, the line itself.
  auto waited = co_await lock.acquire(300ms, asio::as_tuple(asio::deferred));
  report("a wait of 300 ms", std::get<0>(waited));

  // A signal cancels one operation. It must be emitted where the operation was started: on one
  // thread, as here, or in one strand.
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
