#pragma once

#include <zklock/zklock.hpp>

#include "store.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/streambuf.hpp>

#include <cstddef>
#include <string>

/// A connection of the key-value server. Its coroutine is at a single place at a time: between
/// locks, waiting for a lock, or in the work under a lock.
class connection {
 public:
  connection(boost::asio::ip::tcp::socket socket, zklock::client& client, store& values)
      : socket_(std::move(socket)), client_(client), values_(values) {}

  /// Serves requests until the peer closes the connection: throws the error of the socket.
  boost::asio::awaitable<void> run();

 private:
  struct request {
    std::string command;
    std::string argument;
  };

  boost::asio::awaitable<void> serve_locked(std::string key);
  boost::asio::awaitable<void> work(const std::string& key, zklock::hold& hold);
  boost::asio::awaitable<void> get(std::string key);
  boost::asio::awaitable<void> reply(std::string line);
  boost::asio::awaitable<void> read(request& next);

  static constexpr std::size_t longest_line = 4096;

  boost::asio::ip::tcp::socket socket_;
  zklock::client& client_;
  store& values_;
  boost::asio::streambuf received_{longest_line};
};
