// The right side of each mistake in doc/guide/common_mistakes.md.
//
//   common_mistakes [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

using rows = std::vector<std::string>;

// The parameters are values: a coroutine may run after its arguments are gone.
asio::awaitable<void> write(std::string row, zklock::fencing_token token) {
  static zklock::fencing_token highest;
  if (token < highest) throw std::logic_error("a token is lower than an earlier one");
  highest = token;
  std::cout << "write " << row << " with token " << token << std::endl;
  co_return;
}

std::size_t compute(const rows& all) {
  return all.size();
}

// The hold is kept.
asio::awaitable<void> sell(zklock::mutex& lock) {
  const zklock::hold hold = co_await lock.acquire(5s);
  co_await write("a sale", hold.token());
}

// The body has a name.
asio::awaitable<void> sell_to(zklock::mutex& lock, std::string buyer) {
  auto body = [buyer](zklock::hold& hold) { return write(buyer, hold.token()); };
  co_await zklock::with_lock(lock, 5s, body);
}

// The functions that call each other share an owner.
asio::awaitable<void> touch(zklock::mutex& file, zklock::owner me) {
  const zklock::acquire_options options{.timeout = 5s, .owner = me};
  const zklock::hold hold = co_await file.acquire(options);
  co_await write("touch", hold.token());
}

asio::awaitable<void> rename(zklock::mutex& file, zklock::owner me) {
  const zklock::acquire_options options{.timeout = 5s, .owner = me};
  const zklock::hold hold = co_await file.acquire(options);
  co_await touch(file, me); // granted at once: the owner holds the lock
}

// An operand of || is an awaitable, and the hold is in its result.
asio::awaitable<void> sell_unless(zklock::mutex& lock, asio::awaitable<void> closing_time) {
  using namespace asio::experimental::awaitable_operators;
  auto first = co_await (lock.acquire(asio::use_awaitable) || std::move(closing_time));
  if (auto* hold = std::get_if<zklock::hold>(&first)) co_await write("in time", hold->token());
}

// A long computation runs on threads of its own.
asio::awaitable<std::size_t> compute_elsewhere(asio::thread_pool& pool, const rows& all) {
  auto work = [&all]() -> asio::awaitable<std::size_t> { co_return compute(all); };
  co_return co_await asio::co_spawn(pool, work, asio::use_awaitable);
}

// Each step asks whether the lock is held, and carries the token.
asio::awaitable<void> write_all(zklock::hold& hold, const rows& all) {
  for (const auto& row : all) {
    if (!hold.owns_lock()) throw boost::system::system_error(zklock::errc::in_doubt);
    co_await write(row, hold.token());
  }
}

// A body that cleans up lets the cancellation pass.
asio::awaitable<void> retry(zklock::hold& hold) {
  for (int attempt = 1;; ++attempt) {
    try {
      co_await write("attempt", hold.token());
      co_return;
    } catch (const boost::system::system_error& error) {
      if (error.code() == asio::error::operation_aborted || attempt == 3) throw;
    }
  }
}

// A single client serves all locks of the process.
asio::awaitable<void> lock_two(zklock::client& client) {
  zklock::mutex orders(client, "/locks/orders");
  zklock::mutex stock(client, "/locks/stock");
  const zklock::hold first = co_await orders.acquire(5s);
  const zklock::hold second = co_await stock.acquire(5s);
}

asio::awaitable<void> serve(zklock::hold&) {
  // Here, and in no other program: a signal arrives while the lock is held.
  std::raise(SIGTERM);
  asio::steady_timer for_ever(co_await asio::this_coro::executor,
                              asio::steady_timer::time_point::max());
  co_await for_ever.async_wait(asio::use_awaitable);
}

// A signal ends the work and releases the lock.
asio::awaitable<void> serve_until_signal(zklock::mutex& lock) {
  using namespace asio::experimental::awaitable_operators;
  asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
  co_await (zklock::with_lock(lock, 5s, serve) || signals.async_wait(asio::use_awaitable));
}

asio::awaitable<void> closing_time() {
  asio::steady_timer timer(co_await asio::this_coro::executor, 200ms);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> run(zklock::client& client) {
  zklock::mutex lock(client, "/locks/mistakes");
  const rows all{"one", "two"};
  co_await sell(lock);
  co_await sell_to(lock, "Alice");
  co_await rename(lock, zklock::owner());
  co_await sell_unless(lock, closing_time());
  asio::thread_pool pool(1);
  if (co_await compute_elsewhere(pool, all) != 2) throw std::logic_error("wrong sum");
  auto body = [&all](zklock::hold& hold) { return write_all(hold, all); };
  co_await zklock::with_lock(lock, 5s, body);
  co_await zklock::with_lock(lock, 5s, retry);
  co_await lock_two(client);
  co_await serve_until_signal(lock);
  // The signal has released the lock: it is free.
  const zklock::hold hold = co_await lock.try_acquire();
  co_await write("the last sale", hold.token());
}

} // namespace

// The client is closed when the work is done, whether it failed or not.
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
  std::cerr << "common_mistakes: " << error.what() << std::endl;
  return 1;
}
