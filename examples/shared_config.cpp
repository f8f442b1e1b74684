// A configuration in a znode. Editors rewrite it under a lock, each in a transaction with a check
// of its hold: an editor that has lost the lock changes nothing. Readers watch the znode.
//
//   shared_config
//
// It starts a ZooKeeper server of its own, to end the session of an editor. zklock reads no znodes.
// The readers use another client of ZooKeeper: here the blocking client of zklock's tests.

#include <zklock/testing/server.hpp>
#include <zklock/zklock.hpp>

#include "support/raw_client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;
namespace testing = zklock::testing;
using namespace std::chrono_literals;

const std::string config = "/config";

void expect(bool right, const std::string& what) {
  if (!right) throw std::runtime_error("not so: " + what);
}

/// Watches the configuration, on a thread of its own.
class reader {
 public:
  reader(std::string name, const std::string& server) : name_(std::move(name)), zk_(server) {}
  ~reader() { worker_.join(); }

  /// Waits for a version that this reader has not seen, and returns its text.
  asio::awaitable<std::string> next() {
    return asio::co_spawn(worker_, wait(), asio::use_awaitable);
  }

 private:
  asio::awaitable<std::string> wait() {
    for (;;) {
      // A change after this request is an event, so that no version is missed for good.
      const auto stat = zk_.exists(config, true);
      if (stat && stat->version > seen_) break;
      expect(zk_.next_event(10s).has_value(), name_ + " is notified");
    }
    const auto node = zk_.get(config);
    seen_ = node.stat.version;
    std::cout << "  " << name_ << " has version " << seen_ << ": " << node.data << std::endl;
    co_return node.data;
  }

  std::string name_;
  testing::raw_client zk_;
  std::int32_t seen_ = -1;
  asio::thread_pool worker_{1};
};

/// An editor with a session of its own, as each process has.
struct editor {
  editor(asio::io_context& io, const testing::server& server, std::string its_name)
      : name(std::move(its_name)), client(io, {.servers = server.address()}) {}

  /// Begins to edit: an editor can take as long as it likes.
  asio::awaitable<zklock::hold> open() {
    zklock::hold hold = co_await lock.acquire(30s);
    std::cout << name << " edits, with token " << hold.token() << std::endl;
    co_return hold;
  }

  /// Writes the configuration if the lock is still held. Returns the error of the transaction.
  asio::awaitable<zklock::error_code> save(const zklock::hold& hold, std::string text) {
    zklock::transaction change;
    change.set(config, text);
    auto [error, result] = co_await hold.commit(change, asio::as_tuple(asio::use_awaitable));
    std::cout << name << " writes " << text << ": " << (error ? error.message() : "done")
              << std::endl;
    co_return error;
  }

  std::string name;
  zklock::client client;
  zklock::mutex lock{client, "/locks/config"};
};

asio::awaitable<void> expect_text(reader& first, reader& second, std::string text) {
  const auto seen_first = co_await first.next();
  const auto seen_second = co_await second.next();
  expect(seen_first == text && seen_second == text, "both readers have " + text);
}

asio::awaitable<void> run(testing::server& server, editor& ann, editor& bob) {
  reader shop("shop", server.address()), mill("mill", server.address());

  zklock::hold first = co_await ann.open();
  zklock::transaction creation;
  creation.create(config, "color=blue");
  co_await first.commit(creation);
  co_await expect_text(shop, mill, "color=blue");
  auto error = co_await ann.save(first, "color=green");
  expect(!error, "the holder of the lock writes");
  co_await expect_text(shop, mill, "color=green");

  // An operator takes the lock from Ann, and her client does not know it yet. The servers check her
  // hold in its transaction, and refuse all of it.
  co_await bob.lock.break_lock();
  zklock::hold second = co_await bob.open();
  error = co_await bob.save(second, "color=red");
  expect(!error, "the next holder writes");
  error = co_await ann.save(first, "color=grey");
  expect(error == zklock::errc::entry_deleted, "the servers refuse the write of the former holder");

  // Bob's session expires, as after a crash, a long pause or a failure of the network.
  expect(server.expire(bob.client.session_id()), "Bob has a session");
  co_await second.wait_lost(asio::use_awaitable);
  zklock::hold third = co_await ann.open();
  error = co_await bob.save(second, "color=black");
  expect(error == zklock::errc::session_expired, "an editor without a session does not write");
  co_await expect_text(shop, mill, "color=red");

  error = co_await ann.save(third, "color=white");
  expect(!error, "the holder writes");
  co_await expect_text(shop, mill, "color=white");

  co_await ann.client.close();
  co_await bob.client.close();
}

int main() try {
  testing::server server;
  asio::io_context io;
  editor ann(io, server, "Ann"), bob(io, server, "Bob");
  asio::co_spawn(io, run(server, ann, bob), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "shared_config: " << e.what() << '\n';
  return 1;
}
