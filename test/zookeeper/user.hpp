#pragma once

#include <zklock/testing/server.hpp>

#include "support/raw_client.hpp"
#include "zookeeper/error_text.hpp"
#include "zookeeper/server_list.hpp"
#include "zookeeper/session.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace zklock::test {

namespace asio = boost::asio;
namespace zookeeper = zklock::zookeeper;
using namespace std::chrono_literals;
using zookeeper::reply;
using zookeeper::request_tag;
using zookeeper::session;
using zookeeper::session_options;
using zookeeper::status;
using zookeeper::watch_event;
using zookeeper::watch_kind;

/// The server that all tests of this program share. Each test leaves it running and healed.
inline testing::server& shared_server() {
  static testing::server instance;
  return instance;
}

/// An address at which nothing listens.
inline constexpr auto nowhere = "127.0.0.1:1";

/// A path that no other test uses.
inline std::string fresh_path() {
  static int count = 0;
  return "/zookeeper-test-" + std::to_string(++count);
}

/// An answer with copies of its views.
struct answer {
  request_tag tag;
  reply values;
  std::string path;
  std::string detail;
  std::vector<std::string> children;
  std::string data;
};

/// Owns a session and records its reports.
class user final : public zookeeper::session_owner, public zookeeper::receiver {
 public:
  explicit user(asio::io_context& io, const std::string& servers,
                std::chrono::milliseconds timeout = 6s)
      : io_(io) {
    options.servers = zookeeper::parse_server_list(servers).servers;
    options.timeout = timeout;
    options.access_list = {{31, "world", "anyone"}};
    options.log = [this](log_level, std::string_view line) { log.emplace_back(line); };
  }

  ~user() {
    if (session) session->abandon();
  }

  user(const user&) = delete;
  user& operator=(const user&) = delete;

  void start() {
    session =
        session::make(zookeeper::strand(asio::any_io_executor(io_.get_executor())), options, *this);
    session->start();
  }

  /// Runs the context until a condition holds; throws where it does not in time. Returns the number
  /// of handlers that ran.
  template <class Condition>
  std::size_t wait(const char* what, Condition condition, std::chrono::milliseconds limit = 30s) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::size_t handlers = 0;
    io_.restart();
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) {
        std::string text = std::string("waited in vain: ") + what;
        for (const auto& line : log)
          text += "\n  " + line;
        throw std::runtime_error(text);
      }
      handlers += io_.run_one_for(50ms);
    }
    return handlers;
  }

  void wait_connected(int times = 1) {
    wait("connected", [&] { return connected >= times; });
  }

  void wait_disconnected(int times = 1) {
    wait("disconnected", [&] { return disconnected >= times; });
  }

  /// Waits for the answer to the request with this number.
  const answer& wait_answer(int what) {
    const answer* found = nullptr;
    wait("an answer", [&] {
      for (const auto& each : answers) {
        if (each.tag.what == what) found = &each;
      }
      return found != nullptr;
    });
    return *found;
  }

  bool answered(int what) const {
    for (const auto& each : answers) {
      if (each.tag.what == what) return true;
    }
    return false;
  }

  bool logged(std::string_view part) const {
    for (const auto& line : log) {
      if (line.find(part) != line.npos) return true;
    }
    return false;
  }

  /// Creates an entry in `directory` and returns its path.
  std::string enter(const std::string& directory) {
    static int next = 1'000'000;
    const int what = next++;
    session->send(zookeeper::create_entry{.path = directory + "/entry-", .data = "data"}, *this,
                  {what, 0});
    return wait_answer(what).path;
  }

  std::string make_directory() {
    const auto path = fresh_path();
    session->send(zookeeper::create_directory{.path = path}, *this, {999'999, 0});
    wait_answer(999'999);
    answers.clear();
    return path;
  }

  /// Closes the session and returns its result.
  error_code close() {
    std::optional<error_code> said;
    session->close([&](error_code error) { said = error; });
    wait("closed", [&] { return said.has_value(); });
    return *said;
  }

  void on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept override {
    ++connected;
    new_sessions += is_new;
    granted = timeout;
    tell("connected");
  }
  void on_request() noexcept override {}
  void on_disconnected() noexcept override {
    ++disconnected;
    tell("disconnected");
  }
  void on_expired(errc why) noexcept override {
    ++expired;
    tell(why == errc::data_rolled_back ? "lost with older data" : "expired");
  }
  void on_rolled_back() noexcept override { tell("rolled back"); }
  void on_failed(errc why) noexcept override {
    failure = why;
    tell("failed");
  }
  void on_watch(std::string_view path, watch_event event) noexcept override {
    watches.emplace_back(path, event);
    tell("watch");
  }
  void on_reply(request_tag tag, const reply& values) noexcept override {
    answer& added = answers.emplace_back(answer{tag,
                                                values,
                                                std::string(values.path),
                                                zookeeper::error_text(values.error),
                                                {},
                                                std::string(values.data)});
    for (const auto& name : values.children)
      added.children.emplace_back(name);
    tell("reply");
  }

  session_options options;
  std::shared_ptr<zookeeper::session> session;
  int connected = 0;
  int new_sessions = 0;
  int disconnected = 0;
  int expired = 0;
  std::optional<errc> failure;
  std::chrono::milliseconds granted{0};
  std::deque<answer> answers;
  std::vector<std::pair<std::string, watch_event>> watches;
  std::vector<std::string> log;

  /// Called after each event of the session.
  std::function<void(std::string_view event)> reaction;

 private:
  void tell(std::string_view event) {
    if (reaction) reaction(event);
  }

  asio::io_context& io_;
};

} // namespace zklock::test
