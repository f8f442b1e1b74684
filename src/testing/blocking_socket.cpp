#include "testing/blocking_socket.hpp"

#include "testing/endpoint.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

namespace zklock::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

[[noreturn]] void fail(const std::string& what, const error_code& ec) {
  throw error(what + ": " + ec.message());
}

} // namespace

template <class Start>
std::optional<error_code> blocking_socket::run(deadline until, Start start) {
  std::optional<error_code> result;
  start([&](error_code ec, std::size_t = 0) { result = ec; });
  context_.restart();
  // A completed operation counts even after the deadline.
  context_.poll();
  if (!result) context_.run_until(until.time());
  if (result) return result;
  error_code ignored;
  socket_.cancel(ignored);
  context_.run();
  return result == asio::error::operation_aborted ? std::nullopt : result;
}

template <class Start>
error_code blocking_socket::finish(deadline until, Start start) {
  if (const auto result = run(until, start)) return *result;
  throw error("no reply from " + address_ + " in time");
}

void blocking_socket::expect_success(const error_code& ec) const {
  if (ec == asio::error::eof) throw error("the server closed the connection to " + address_);
  if (ec) fail("the connection to " + address_ + " is lost", ec);
}

blocking_socket::blocking_socket(const std::string& address, deadline until) : address_(address) {
  const auto endpoint = parse_endpoint(address);
  error_code ec;
  socket_.open(endpoint.protocol(), ec);
  if (ec) fail("cannot create a socket", ec);
  close_on_exec(socket_.native_handle());
  socket_.set_option(tcp::no_delay(true), ec);
  ec = finish(until, [&](auto handler) { socket_.async_connect(endpoint, handler); });
  if (ec) fail("cannot connect to " + address, ec);
}

void blocking_socket::write(std::string_view bytes, deadline until) {
  expect_success(finish(
      until, [&](auto handler) { asio::async_write(socket_, asio::buffer(bytes), handler); }));
}

std::string blocking_socket::read(std::size_t size, deadline until) {
  std::string bytes(size, '\0');
  expect_success(finish(
      until, [&](auto handler) { asio::async_read(socket_, asio::buffer(bytes), handler); }));
  return bytes;
}

std::string blocking_socket::read_all(deadline until) {
  std::string all;
  const auto ec = finish(
      until, [&](auto handler) { asio::async_read(socket_, asio::dynamic_buffer(all), handler); });
  if (ec != asio::error::eof) expect_success(ec);
  return all;
}

bool blocking_socket::wait_readable(deadline until) {
  return run(until, [&](auto handler) { socket_.async_wait(tcp::socket::wait_read, handler); })
      .has_value();
}

} // namespace zklock::testing
