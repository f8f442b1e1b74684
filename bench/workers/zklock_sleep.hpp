#pragma once

#include "measurement.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace bench {

/// A coroutine of its own, so that the frame of a waiter that never sleeps has no timer.
inline boost::asio::awaitable<void> sleep_until(clock::time_point time) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

} // namespace bench
