#include "http_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <optional>
#include <utility>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
constexpr std::uint32_t header_limit = 8 * 1024;
constexpr std::uint64_t body_limit = 64 * 1024;

/// Returns the response to a request that could not be read; none if the connection has ended.
std::optional<http_response> refusal(boost::system::error_code why) {
  if (why == http::error::end_of_stream || why == http::error::partial_message ||
      why.category() != http::make_error_code(http::error::end_of_stream).category())
    return std::nullopt;
  http::status status = http::status::bad_request;
  if (why == http::error::body_limit) status = http::status::payload_too_large;
  if (why == http::error::header_limit) status = http::status::request_header_fields_too_large;
  return http_response(status, 11);
}

} // namespace

http_server::http_server(asio::any_io_executor executor, std::uint16_t port, handler answer,
                         streamer stream)
    : acceptor_(executor, tcp::endpoint(asio::ip::address_v4::loopback(), port)),
      answer_(std::move(answer)),
      stream_(std::move(stream)),
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
  http::request_parser<http::string_body> parser;
  parser.header_limit(header_limit);
  parser.body_limit(body_limit);
  idle_.insert(&stream);
  stream.expires_after(60s);
  auto received = co_await http::async_read(stream, buffer, parser, as_result);
  idle_.erase(&stream);
  if (std::get<0>(received)) {
    if (auto response = refusal(std::get<0>(received))) co_await send(stream, *response, false);
    co_return false;
  }

  http_request request = parser.release();
  if (stream_) {
    const bool streamed = co_await stream_(request, stream);
    if (streamed) co_return false;
  }
  const bool keep = request.keep_alive();
  auto response = co_await answer_(std::move(request));
  co_return co_await send(stream, response, keep && !stopping_);
}

// Returns whether the connection stays open.
asio::awaitable<bool> http_server::send(beast::tcp_stream& stream, http_response& response,
                                        bool keep) {
  response.keep_alive(keep);
  response.prepare_payload();
  stream.expires_after(60s);
  auto sent = co_await http::async_write(stream, response, as_result);
  co_return !std::get<0>(sent) && keep;
}
