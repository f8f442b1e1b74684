// The service that the tests of this folder are about: it works in a single process at a time.
#pragma once

#include <zklock/election.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <string>
#include <utility>

class reporter {
 public:
  using listener = std::function<void(const std::string& event)>;

  reporter(const zklock::client& client, const std::string& path, listener on_event)
      : election_(client, path), on_event_(std::move(on_event)) {}

  // Works while it leads, and waits to be elected again when it does not.
  boost::asio::awaitable<void> run() {
    auto body = [this] { return work(); };
    co_await election_.run(body);
  }

 private:
  boost::asio::awaitable<void> work() {
    on_event_("began");
    boost::asio::steady_timer done(co_await boost::asio::this_coro::executor,
                                   boost::asio::steady_timer::time_point::max());
    try {
      co_await done.async_wait(boost::asio::use_awaitable);
    } catch (...) {
      on_event_("stopped");
      throw;
    }
  }

  zklock::election election_;
  listener on_event_;
};
