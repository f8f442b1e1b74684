#pragma once

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
#include <boost/endian/conversion.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::test {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Listens on a free port, and runs a coroutine for each connection.
class listener {
 public:
  /// Called with a connection and its number, from 1 on.
  using conversation = std::function<asio::awaitable<void>(tcp::socket, int)>;

  listener(asio::io_context& io, conversation talk,
           const asio::ip::address& where = asio::ip::address_v4::loopback())
      : acceptor_(io, {where, 0}), talk_(std::move(talk)) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  /// The address for clients.
  std::string address() const {
    std::ostringstream text;
    text << acceptor_.local_endpoint();
    return text.str();
  }

  /// The number of connections so far.
  int clients() const { return clients_; }

 private:
  asio::awaitable<void> serve() {
    for (;;) {
      auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
      ++clients_;
      asio::co_spawn(acceptor_.get_executor(), talk_(std::move(socket), clients_), asio::detached);
    }
  }

  tcp::acceptor acceptor_;
  conversation talk_;
  int clients_ = 0;
};

/// Returns the integer at this offset of a frame.
inline std::int32_t int_at(std::string_view frame, std::size_t at) {
  return boost::endian::load_big_s32(
      reinterpret_cast<const unsigned char*>(frame.substr(at, 4).data()));
}

inline void put_int(std::string& frame, std::size_t at, std::int32_t number) {
  boost::endian::store_big_s32(reinterpret_cast<unsigned char*>(frame.data() + at), number);
}

/// Reads a frame without its length; nothing at the end of the connection.
inline asio::awaitable<std::optional<std::string>> read_frame(tcp::socket& from) {
  boost::system::error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  std::string frame(4, '\0');
  co_await asio::async_read(from, asio::buffer(frame), token);
  if (error) co_return std::nullopt;
  frame.resize(static_cast<std::size_t>(int_at(frame, 0)));
  co_await asio::async_read(from, asio::buffer(frame), token);
  if (error) co_return std::nullopt;
  co_return frame;
}

/// Writes all bytes; returns whether the connection still exists.
inline asio::awaitable<bool> write_all(tcp::socket& to, const std::string& bytes) {
  boost::system::error_code error;
  co_await asio::async_write(to, asio::buffer(bytes),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

} // namespace zklock::test
