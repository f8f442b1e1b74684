#include "connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <iostream>
#include <istream>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// Logs the begin and the end of the work under a lock, however it ends. Each line is a single
/// write, so that the lines of several processes do not mix in a file.
class logged_work {
 public:
  logged_work(const std::string& key, zklock::fencing_token token)
      : what_(key + ", with token " + token.to_string() + '\n') {
    std::clog << "begin " + what_;
  }
  ~logged_work() { std::clog << "end " + what_; }
  logged_work(const logged_work&) = delete;
  logged_work& operator=(const logged_work&) = delete;

 private:
  std::string what_;
};

} // namespace

asio::awaitable<void> connection::run() {
  for (request next;;) {
    co_await read(next);
    if (!store::is_key(next.argument))
      co_await reply("ERROR the key is not 1 to 64 of a-z, 0-9, _ and -");
    else if (next.command == "LOCK")
      co_await serve_locked(next.argument);
    else if (next.command == "GET")
      co_await get(next.argument);
    else
      co_await reply("ERROR send LOCK KEY or GET KEY");
  }
}

// The work is the body of with_lock. When the lock is lost, the body is cancelled at the operation
// that it awaits, and no request that comes later reaches the key.
asio::awaitable<void> connection::serve_locked(std::string key) {
  zklock::mutex lock(client_, "/locks/values/" + key);
  bool held = false;
  auto body = [this, &key, &held](zklock::hold& hold) {
    held = true;
    return work(key, hold);
  };
  std::string outcome = "UNLOCKED";
  try {
    co_await zklock::with_lock(lock, 30s, body);
  } catch (const boost::system::system_error& e) {
    // All further errors are the socket's.
    if (e.code().category() != zklock::lock_category()) throw;
    outcome = (held ? "LOST " + key + ": " : "ERROR ") + e.code().message();
  }
  co_await reply(outcome);
}

asio::awaitable<void> connection::work(const std::string& key, zklock::hold& hold) {
  logged_work log(key, hold.token());
  // Before the client reads: a late write of an earlier holder is refused from here on.
  if (!values_.begin(key, hold.token())) throw std::runtime_error("a later holder uses " + key);
  co_await reply("LOCKED " + hold.token().to_string());
  for (request next;;) {
    co_await read(next);
    if (next.command == "SET") {
      const bool written = values_.write(key, next.argument, hold.token());
      co_await reply(written ? "OK" : "ERROR a later holder uses the key");
    } else if (next.command == "GET" && store::is_key(next.argument)) {
      co_await get(next.argument);
    } else if (next.command == "UNLOCK") {
      co_return;
    } else {
      co_await reply("ERROR send SET VALUE, GET KEY or UNLOCK");
    }
  }
}

asio::awaitable<void> connection::get(std::string key) {
  co_await reply("VALUE " + values_.read(key));
}

asio::awaitable<void> connection::reply(std::string line) {
  line += '\n';
  co_await asio::async_write(socket_, asio::buffer(line), asio::use_awaitable);
}

asio::awaitable<void> connection::read(request& next) {
  co_await asio::async_read_until(socket_, received_, '\n', asio::use_awaitable);
  std::istream in(&received_);
  std::string line;
  std::getline(in, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  const auto space = line.find(' ');
  next.command = line.substr(0, space);
  next.argument = space == line.npos ? "" : line.substr(space + 1);
}
