#include <zklock/zklock.hpp>

#include "zklock_work.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace bench {

namespace asio = boost::asio;

namespace {

/// Wakes the coroutine that waits for the session of a client.
class session_start final : public zklock::observer {
 public:
  explicit session_start(asio::steady_timer& waiter) : waiter_(waiter) {}

  void state_changed(zklock::connection_state now) override {
    if (now == zklock::connection_state::connected) waiter_.cancel();
  }

 private:
  asio::steady_timer& waiter_;
};

} // namespace

// Each client reads the certificates and makes a full handshake: only connections of one client
// resume a TLS session.
asio::awaitable<void> keep_connecting(zklock_worker& worker) {
  const auto executor = co_await asio::this_coro::executor;
  auto options = worker.options;
  while (worker.client.connected()) {
    asio::steady_timer waiter(executor, clock::time_point::max());
    options.observer = std::make_shared<session_start>(waiter);
    cycle one{};
    one.started = clock::now();
    zklock::client client(executor, options);
    co_await waiter.async_wait(asio::as_tuple(asio::use_awaitable));
    one.held = one.released = one.ended = clock::now();
    co_await client.close();
    worker.seen.add(one);
  }
}

} // namespace bench
