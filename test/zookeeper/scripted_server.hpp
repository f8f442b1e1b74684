#pragma once

#include <zklock/testing/frame.hpp>

#include "testing/jute.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::jute_writer;

constexpr std::int64_t scripted_session = 0x1234567;

/// The answer to a handshake.
inline std::string handshake(std::int32_t timeout = 6000, std::int64_t session = scripted_session,
                             bool read_only = false) {
  jute_writer out;
  out.put_int(0);
  out.put_int(timeout);
  out.put_long(session);
  out.put_string(std::string(16, 'p'));
  out.put_bool(read_only);
  return out.framed();
}

/// For `session_options::shortcoming`.
inline std::string too_short(std::chrono::milliseconds timeout) {
  return timeout.count() <= 100 ? "it is not longer than 100 ms" : "";
}

/// A reply to a request, whether or not the request was made.
inline std::string reply_frame(std::int32_t number, std::string_view body = {},
                               std::int32_t error = 0) {
  jute_writer out;
  out.put_int(number);
  out.put_long(1);
  out.put_int(error);
  out.put_raw(body);
  return out.framed();
}

/// The number of a request, or of a reply.
inline std::int32_t number_of(std::string_view frame) {
  return testing::jute_reader(frame).take_int();
}

/// The operation that a request names.
inline testing::operation kind_of(std::string_view frame) {
  return static_cast<testing::operation>(testing::jute_reader(frame.substr(4)).take_int());
}

/// A server that speaks ZooKeeper's frames and answers each as a test's script says.
class scripted_server {
 public:
  /// Returns what to send for a frame, which comes without its length: the `index`-th of its
  /// connection, where 0 is the handshake. Where it returns nothing, the connection is closed; so
  /// it is after the answer to a request to end the session.
  using script = std::function<std::optional<std::string>(int index, std::string_view frame)>;

  scripted_server(asio::io_context& io, script answers)
      : acceptor_(io, {asio::ip::address_v4::loopback(), 0}), answers_(std::move(answers)) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

  int clients() const { return clients_; }

 private:
  asio::awaitable<void> serve() {
    for (;;) {
      auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
      ++clients_;
      asio::co_spawn(acceptor_.get_executor(), talk(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> talk(tcp::socket socket) {
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    for (int index = 0;; ++index) {
      std::string frame(4, '\0');
      co_await asio::async_read(socket, asio::buffer(frame), token);
      if (error) break;
      frame.resize(static_cast<std::size_t>(number_of(frame)));
      co_await asio::async_read(socket, asio::buffer(frame), token);
      const auto answer = error ? std::nullopt : answers_(index, frame);
      if (!answer) break;
      co_await asio::async_write(socket, asio::buffer(*answer), token);
      if (index != 0 && kind_of(frame) == testing::operation::close_session) break;
    }
  }

  tcp::acceptor acceptor_;
  script answers_;
  int clients_ = 0;
};

} // namespace zklock::test
