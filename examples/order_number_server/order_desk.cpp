#include "order_desk.hpp"

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <iostream>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;

namespace {

http_response make_response(http::status status, const char* type, std::string body) {
  http_response response(status, 11);
  response.set(http::field::content_type, type);
  response.body() = std::move(body);
  return response;
}

http_response make_error(http::status status, const std::string& text) {
  return make_response(status, "text/plain", text + '\n');
}

/// Returns whether the lock was not acquired in time, so that no number was taken.
bool may_try_again(zklock::error_code error) {
  return error == boost::system::errc::timed_out || error == boost::system::errc::not_connected;
}

} // namespace

asio::awaitable<http_response> order_desk::answer(http_request request) {
  if (request.target() != "/orders") co_return make_error(http::status::not_found, "try /orders");
  if (request.method() != http::verb::post) {
    auto response = make_error(http::status::method_not_allowed, "use POST");
    response.set(http::field::allow, "POST");
    co_return response;
  }
  try {
    co_return make_response(http::status::ok, "application/json", co_await take_number());
  } catch (const boost::system::system_error& e) {
    if (may_try_again(e.code())) {
      auto response = make_error(http::status::service_unavailable, e.code().message());
      response.set(http::field::retry_after, "1");
      co_return response;
    }
    std::cerr << "no order number: " << e.what() << std::endl;
    co_return make_error(http::status::internal_server_error, e.code().message());
  } catch (const std::exception& e) {
    std::cerr << "no order number: " << e.what() << std::endl;
    co_return make_error(http::status::internal_server_error, e.what());
  }
}

asio::awaitable<std::string> order_desk::take_number() {
  auto body = [this](zklock::hold& hold) -> asio::awaitable<std::string> {
    const auto token = hold.token().to_string();
    const auto number = co_await numbers_.next();
    co_return "{\"number\": " + std::to_string(number) + ", \"token\": \"" + token + "\"}\n";
  };
  co_return co_await zklock::with_lock(zklock::mutex(client_, lock_path_), 5s, body);
}
