// Two databases that refuse a fencing token lower than the highest that they have seen: SQLite, and
// PostgreSQL where its connection string is given.
//
//   fencing [HOST:PORT[,HOST:PORT]...] [POSTGRESQL]
//
// A holder loses its lock without noticing, as a paused process does. Its write comes between the
// read and the write of the next holder, and is refused.

#include <zklock/zklock.hpp>

#include "postgresql.hpp"
#include "sqlite.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

void expect(bool met, const std::string& what) {
  std::cout << "  " << what << (met ? "" : ": NO") << std::endl;
  if (!met) throw std::runtime_error("it is not so: " + what);
}

asio::awaitable<void> lose_and_write(zklock::client& early, zklock::client& late, storage& stock) {
  zklock::mutex lock(early, "/locks/stock");
  zklock::mutex same(late, "/locks/stock");

  zklock::hold first = co_await lock.acquire(30s);
  expect(stock.read("tickets", first.token()) == 0, "the holder reads");
  expect(stock.write("tickets", 100, first.token()), "the holder writes");
  expect(stock.read("tickets", first.token()) == 100, "the holder reads again");

  // The lock goes to another holder, as when the session of the first hold expires in a pause.
  co_await same.break_lock();
  zklock::hold second = co_await same.acquire(30s);
  expect(stock.read("tickets", second.token()) == 100, "the next holder reads");

  expect(!stock.write("tickets", 99, first.token()), "the late write of the first one is refused");
  expect(stock.write("tickets", 99, second.token()), "the next holder writes");
  expect(!stock.read("tickets", first.token()), "a late read of the first one is refused");
  co_await second.release();
}

asio::awaitable<void> use_each(zklock::client& early, zklock::client& late, std::string address) {
  std::cout << "SQLite" << std::endl;
  sqlite file(":memory:");
  co_await lose_and_write(early, late, file);
  if (!address.empty()) {
    std::cout << "PostgreSQL" << std::endl;
    postgresql database(address);
    co_await lose_and_write(early, late, database);
  }
}

asio::awaitable<void> run(zklock::client& early, zklock::client& late, std::string address) {
  std::exception_ptr failure;
  try {
    co_await use_each(early, late, std::move(address));
  } catch (...) {
    failure = std::current_exception();
  }
  co_await early.close();
  co_await late.close();
  if (failure) std::rethrow_exception(failure);
}

} // namespace

int main(int argc, char** argv) try {
  asio::io_context io;
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  zklock::client early(io, {.servers = servers});
  zklock::client late(io, {.servers = servers});
  asio::co_spawn(io, run(early, late, argc > 2 ? argv[2] : ""), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "fencing: " << error.what() << std::endl;
  return 1;
}
