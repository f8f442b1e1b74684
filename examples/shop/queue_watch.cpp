#include "queue_watch.hpp"

#include "examples/ticket_server/seller.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <tuple>
#include <utility>

namespace asio = boost::asio;
using namespace std::chrono_literals;

queue_watch::queue_watch(const zklock::client& client, std::function<void(const entries&)> changed)
    : lock_(client, seller::lock_path), changed_(std::move(changed)) {}

asio::awaitable<void> queue_watch::run() {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  for (;;) {
    auto looked = co_await lock_.participants(asio::as_tuple(asio::use_awaitable));
    auto& [error, seen] = looked;
    trouble_ = error ? error.message() : "";
    if (!error) {
      const entries before = std::exchange(line_, std::move(seen));
      const bool other = !before.empty() && !line_.empty() && before[0].node != line_[0].node;
      if (other) changed_(before);
    }
    pause.expires_after(50ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}
