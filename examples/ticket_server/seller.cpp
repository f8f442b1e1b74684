#include "seller.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <sstream>
#include <utility>

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

http_response make_response(http::status status, const json::value& body) {
  http_response response(status, 11);
  response.set(http::field::content_type, "application/json");
  response.body() = json::serialize(body);
  return response;
}

http_response make_error(http::status status, const std::string& text) {
  return make_response(status, {{"error", text}});
}

http_response make_wrong_method(const char* right) {
  auto response = make_error(http::status::method_not_allowed, std::string("use ") + right);
  response.set(http::field::allow, right);
  return response;
}

/// Returns whether an error means that the lock was not acquired in time. Any other error can come
/// from the middle of a sale, which an HTTP client must not repeat.
bool may_try_again(zklock::error_code error) {
  return error == boost::system::errc::timed_out || error == boost::system::errc::not_connected;
}

/// Returns whether the lock was lost: `with_lock` has cancelled the sale.
bool is_lost(zklock::error_code error) {
  return error == zklock::errc::session_expired || error == zklock::errc::in_doubt ||
         error == zklock::errc::entry_deleted || error == zklock::errc::data_rolled_back;
}

} // namespace

asio::awaitable<http_response> seller::answer(http_request request) {
  if (request.target() == "/status") {
    if (request.method() != http::verb::get) co_return make_wrong_method("GET");
    co_return status();
  }
  if (request.target() != "/buy")
    co_return make_error(http::status::not_found, "try /buy or /status");
  if (request.method() != http::verb::post) co_return make_wrong_method("POST");
  order wanted;
  try {
    wanted = read_order(request);
  } catch (const std::exception&) {
    co_return make_error(http::status::bad_request, R"(send {"buyer": "NAME"})");
  }
  co_return co_await buy(std::move(wanted));
}

seller::order seller::read_order(const http_request& request) const {
  const auto value = json::parse(request.body());
  const auto& body = value.as_object();
  order wanted{json::value_to<std::string>(body.at("buyer")), lock_ != nullptr, times_.work};
  if (const auto* lock = body.if_contains("lock")) wanted.with_lock &= lock->as_bool();
  if (const auto* work = body.if_contains("work_ms"))
    wanted.work = std::clamp(std::chrono::milliseconds(work->as_int64()), 0ms, 60'000ms);
  return wanted;
}

http_response seller::status() const {
  std::ostringstream session;
  if (client_ != nullptr && client_->session_id() != 0)
    session << "0x" << std::hex << client_->session_id();
  return make_response(http::status::ok, {{"session", session.str()}});
}

asio::awaitable<http_response> seller::buy(order wanted) {
  try {
    const auto sold = co_await sell(wanted);
    if (!sold) co_return make_error(http::status::conflict, "sold out");
    co_return make_response(http::status::ok, {{"ticket", sold->ticket}, {"token", sold->token}});
  } catch (const stale_token& e) {
    co_return make_error(http::status::precondition_failed, e.what());
  } catch (const boost::system::system_error& e) {
    if (may_try_again(e.code())) {
      auto response = make_error(http::status::service_unavailable, e.code().message());
      response.set(http::field::retry_after, "1");
      co_return response;
    }
    std::cerr << "a purchase failed: " << e.what() << std::endl;
    co_return make_response(http::status::internal_server_error,
                            {{"error", e.code().message()}, {"lost", is_lost(e.code())}});
  } catch (const std::exception& e) {
    std::cerr << "a purchase failed: " << e.what() << std::endl;
    co_return make_error(http::status::internal_server_error, "the database failed");
  }
}

/// Returns an empty value when all tickets are sold.
asio::awaitable<std::optional<sale>> seller::sell(const order& wanted) {
  if (!wanted.with_lock) co_return co_await sell_next(wanted, "");
  auto body = [this, &wanted](zklock::hold& hold) {
    return sell_next(wanted, hold.token().to_string());
  };
  co_return co_await zklock::with_lock(*lock_, times_.wait, body);
}

asio::awaitable<std::optional<sale>> seller::sell_next(const order& wanted, std::string token) {
  const offer now = co_await tickets_.begin(token);
  if (now.left <= 0) co_return std::nullopt;

  // Stands for a call of a payment service. Any program spends time between reading a value and
  // writing it back. Without a lock, other processes read this number meanwhile. The wait
  // throws when the lock is lost, and nothing is written.
  asio::steady_timer payment(co_await asio::this_coro::executor, wanted.work);
  co_await payment.async_wait(asio::use_awaitable);

  sale sold{now.stock, now.left, std::move(token), wanted.buyer};
  co_await tickets_.record(sold);
  co_return sold;
}
