#include "http_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <utility>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

} // namespace

http_server::http_server(asio::any_io_executor executor, std::uint16_t port, handler answer)
    : acceptor_(executor, tcp::endpoint(asio::ip::address_v4::loopback(), port)),
      answer_(std::move(answer)),
      all_closed_(executor, asio::steady_timer::time_point::max()) {}

asio::awaitable<void> http_server::run() {
  while (!stopping_) {
    auto accepted = co_await acceptor_.async_accept(as_result);
    auto& [error, socket] = accepted;
    if (stopping_) break;
    if (error) {
      // A passing failure, for example when no descriptor is free.
      std::cerr << "cannot accept a connection: " << error.message() << std::endl;
      asio::steady_timer pause(acceptor_.get_executor(), 100ms);
      co_await pause.async_wait(as_result);
      continue;
    }
    ++connections_;
    auto closed = [this](std::exception_ptr) {
      if (--connections_ == 0) all_closed_.cancel();
    };
    asio::co_spawn(acceptor_.get_executor(), serve(beast::tcp_stream(std::move(socket))),
                   std::move(closed));
  }
}

asio::awaitable<void> http_server::stop() {
  stopping_ = true;
  acceptor_.close();
  for (auto* stream : idle_)
    stream->cancel();
  if (connections_ > 0) co_await all_closed_.async_wait(as_result);
}

asio::awaitable<void> http_server::serve(beast::tcp_stream stream) {
  beast::flat_buffer buffer;
  while (!stopping_)
    if (!co_await serve_one(stream, buffer)) break;
  boost::system::error_code ignored;
  stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
}

// Returns whether the connection stays open.
asio::awaitable<bool> http_server::serve_one(beast::tcp_stream& stream,
                                             beast::flat_buffer& buffer) {
  http_request request;
  idle_.insert(&stream);
  stream.expires_after(60s);
  auto received = co_await http::async_read(stream, buffer, request, as_result);
  idle_.erase(&stream);
  if (std::get<0>(received)) co_return false;

  const bool keep = request.keep_alive();
  auto response = co_await answer_(std::move(request));
  response.keep_alive(keep && !stopping_);
  response.prepare_payload();

  stream.expires_after(60s);
  auto sent = co_await http::async_write(stream, response, as_result);
  co_return !std::get<0>(sent) && response.keep_alive();
}
