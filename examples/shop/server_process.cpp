#include "server_process.hpp"

#include "examples/ticket_server/http_client.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <fstream>
#include <utility>

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;
using namespace std::chrono_literals;

server_process::server_process(std::string name, std::vector<std::string> command, int lifeline)
    : name_(std::move(name)), command_(std::move(command)), lifeline_(lifeline) {
  start();
}

void server_process::start() {
  process_.reset();
  process_.emplace(
      zklock::testing::child_options{.command = command_, .piped = true, .kept_open = lifeline_});
  const auto line = process_->read_line(10s);
  port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
}

server_state server_process::state() const {
  if (has_ended()) return server_state::dead;
  std::ifstream file("/proc/" + std::to_string(process_id()) + "/stat");
  std::string text;
  std::getline(file, text);
  return text.find(") T ") == text.npos ? server_state::running : server_state::paused;
}

asio::awaitable<void> server_process::watch_session() {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  for (;;) {
    try {
      if (!has_ended()) co_await ask_until_it_ends();
    } catch (const std::exception&) {
      // The process has ended, or is ending.
    }
    if (has_ended()) set_session("");
    pause.expires_after(100ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> server_process::ask_until_it_ends() {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  // Without a limit: a paused server answers when it goes on.
  http_client server(executor, port_, std::nullopt);
  co_await server.open();
  for (;;) {
    const auto response = co_await server.send(http::verb::get, "/status", "");
    set_session(json::value_to<std::string>(json::parse(response.body()).at("session")));
    pause.expires_after(100ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

void server_process::set_session(std::string session) {
  if (session == session_) return;
  if (!session_.empty()) former_sessions_.insert(session_);
  session_ = std::move(session);
}
