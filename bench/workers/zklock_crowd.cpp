#include "zklock_crowd.hpp"

#include <zklock/zklock.hpp>

#include "zklock_work.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace bench {

namespace asio = boost::asio;

crowd::crowd(const asio::any_io_executor& executor, zklock::mutex& lock, std::size_t count)
    : signals_(count), left_(count), all_ended_(executor, clock::time_point::max()) {
  const auto ended = [this](zklock::error_code, const zklock::hold&) {
    if (ended_) ended_();
    if (--left_ == 0) all_ended_.cancel();
  };
  for (auto& each : signals_)
    lock.acquire(asio::bind_cancellation_slot(each.slot(), ended));
}

asio::awaitable<void> crowd::give_up(std::function<void()> ended) {
  ended_ = std::move(ended);
  for (auto& each : signals_)
    each.emit(asio::cancellation_type::terminal);
  if (left_ != 0) co_await all_ended_.async_wait(asio::as_tuple(asio::use_awaitable));
}

// The list of `count_waiting` is sent behind the creates: its reply comes once the entries exist.
asio::awaitable<void> keep_giving_up(zklock_worker& worker) {
  zklock::mutex& lock = worker.locks.front();
  const auto executor = co_await asio::this_coro::executor;
  const zklock::hold place = co_await lock.acquire();
  while (worker.client.connected()) {
    crowd waiting(executor, lock, worker.chosen.waiting);
    co_await lock.count_waiting(asio::as_tuple(asio::use_awaitable));
    cycle one{};
    one.started = clock::now();
    co_await waiting.give_up([&] {
      one.held = one.released = one.ended = clock::now();
      worker.seen.add(one);
    });
  }
}

} // namespace bench
