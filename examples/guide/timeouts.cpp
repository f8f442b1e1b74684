// Timeouts, tries and cancellation, for doc/guide/timeouts.md.
//
//   timeouts [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

void expect(bool met, const std::string& what) {
  std::cout << what << (met ? "" : ": NO") << std::endl;
  if (!met) throw std::runtime_error("it is not so: " + what);
}

asio::awaitable<void> wait(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

// A timeout as an exception.
asio::awaitable<bool> sell(zklock::mutex& lock) {
  try {
    const zklock::hold hold = co_await lock.acquire(300ms);
    co_return true;
  } catch (const boost::system::system_error& error) {
    if (error.code() != boost::system::errc::timed_out) throw;
    co_return false; // the lock is taken, or no server answers
  }
}

// A timeout without exceptions.
asio::awaitable<std::string> describe(zklock::mutex& lock) {
  const auto [error, hold] = co_await lock.acquire(300ms, asio::as_tuple(asio::deferred));
  if (!error) co_return "held";
  if (error == zklock::errc::timed_out) co_return "taken";
  if (error == zklock::errc::not_connected) co_return "unknown: no server answers";
  throw boost::system::system_error(error);
}

// A try does not wait for a holder.
asio::awaitable<bool> try_it(zklock::mutex& lock) {
  if (const zklock::hold hold = co_await lock.try_acquire()) co_return true;
  co_return false;
}

asio::awaitable<void> work_long(zklock::hold&) {
  co_await wait(1h);
}

// The lock is held for 200 ms at most: a lease, or TTL, of this hold.
asio::awaitable<void> work_with_limit(zklock::mutex& lock) {
  const zklock::acquire_options options{.timeout = 5s, .hold_limit = 200ms};
  try {
    co_await zklock::with_lock(lock, options, work_long);
  } catch (const boost::system::system_error& error) {
    if (error.code() != zklock::errc::hold_limit_reached) throw;
  }
}

// The lock is held for 200 ms at least, also where the work is done sooner.
asio::awaitable<void> work_at_least(zklock::hold&) {
  asio::steady_timer least(co_await asio::this_coro::executor, 200ms);
  co_await wait(10ms); // the work
  co_await least.async_wait(asio::use_awaitable);
}

// A signal cancels a single operation. Here it is emitted as soon as the wait has begun.
asio::awaitable<bool> cancel_a_wait(zklock::mutex& lock) {
  asio::cancellation_signal stop;
  asio::post(co_await asio::this_coro::executor,
             [&stop] { stop.emit(asio::cancellation_type::terminal); });
  const auto [error, hold] = co_await lock.acquire(
      asio::bind_cancellation_slot(stop.slot(), asio::as_tuple(asio::use_awaitable)));
  co_return error == asio::error::operation_aborted;
}

// The work and the wait run together: the first to end cancels its counterpart.
asio::awaitable<bool> work_for(zklock::mutex& lock, std::chrono::milliseconds time) {
  using namespace asio::experimental::awaitable_operators;
  const auto first = co_await (zklock::with_lock(lock, work_long) || wait(time));
  co_return first.index() == 0;
}

asio::awaitable<void> run(zklock::client& client) {
  zklock::mutex lock(client, "/locks/timeouts");
  zklock::hold hold = co_await lock.acquire(30s);

  expect(!co_await sell(lock), "a held lock is not acquired in time");
  expect(co_await describe(lock) == "taken", "the error says that the lock is taken");
  expect(!co_await try_it(lock), "a try of a held lock is busy");
  expect(co_await cancel_a_wait(lock), "a cancelled wait ends with operation_aborted");
  co_await hold.release();

  expect(co_await try_it(lock), "a try of a free lock succeeds");
  co_await work_with_limit(lock);
  const auto start = std::chrono::steady_clock::now();
  co_await zklock::with_lock(lock, 5s, work_at_least);
  expect(std::chrono::steady_clock::now() - start >= 200ms, "the lock is held for its least time");
  expect(!co_await work_for(lock, 200ms), "the work is cancelled when its time is over");
  expect(co_await try_it(lock), "nothing is left behind");
}

} // namespace

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client(io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"});
  asio::co_spawn(io, run(client), [&client](std::exception_ptr failure) {
    client.close([failure](zklock::error_code) {
      if (failure) std::rethrow_exception(failure);
    });
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "timeouts: " << error.what() << std::endl;
  return 1;
}
