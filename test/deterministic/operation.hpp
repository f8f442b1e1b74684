#pragma once

#include <zklock/error.hpp>

#include "host.hpp"
#include "life.hpp"
#include "pauses.hpp"
#include "world.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace deterministic {

namespace asio = boost::asio;

/// A wait of a program. While it lives, the history knows about it; at its end it is checked
/// that it was not late.
class wait {
 public:
  wait(world& world, const host& of, std::string what);
  ~wait() { world_.waits.erase(position_); }
  wait(const wait&) = delete;
  wait& operator=(const wait&) = delete;

  /// The operation has ended, and was to end within this time.
  void ended(const zklock::error_code& error, std::optional<std::chrono::nanoseconds> within);

  const std::string& what() const noexcept { return *position_; }
  const std::shared_ptr<deterministic::life>& life() const noexcept { return life_; }

 private:
  world& world_;
  const pauses& pauses_;
  const std::shared_ptr<deterministic::life> life_;
  const std::list<std::string>::iterator position_;
  const time_point begun_;
  const std::chrono::nanoseconds paused_;
};

/// Suspends the coroutine.
asio::awaitable<void> sleep(std::chrono::nanoseconds duration);

/// How long an operation may take, in the opinion of its program.
struct limits {
  /// It is cancelled then.
  std::optional<std::chrono::nanoseconds> cancelled_after{};
  /// It ends by itself then.
  std::optional<std::chrono::nanoseconds> timeout{};

  /// The operation ends within this time, by its timeout or its cancellation.
  std::optional<std::chrono::nanoseconds> within() const noexcept {
    if (!timeout || !cancelled_after) return timeout ? timeout : cancelled_after;
    return std::min(*timeout, *cancelled_after);
  }
};

/// The signature of an operation with such a result.
template <class Result>
struct signature_with {
  using type = void(zklock::error_code, Result);
};
template <>
struct signature_with<void> {
  using type = void(zklock::error_code);
};
template <class... Results>
struct signature_with<std::tuple<Results...>> {
  using type = void(zklock::error_code, Results...);
};

/// Carries out a deferred operation, and cancels it in time.
template <class Result, class Deferred>
asio::awaitable<Result> carry_out(wait& wait, Deferred operation, limits limits,
                                  zklock::error_code& error) {
  // Outlives the coroutine, which may be destroyed while the timer's handler is under way.
  auto signal = std::make_shared<asio::cancellation_signal>();
  asio::steady_timer canceller(co_await asio::this_coro::executor);
  if (limits.cancelled_after) {
    canceller.expires_after(*limits.cancelled_after);
    canceller.async_wait([signal](zklock::error_code stopped) {
      if (!stopped) signal->emit(asio::cancellation_type::terminal);
    });
  }
  auto token = asio::bind_cancellation_slot(signal->slot(),
                                            asio::redirect_error(asio::use_awaitable, error));
  using signature = typename signature_with<Result>::type;
  auto started = start_by<signature>(wait.life(), false, wait.what(), std::move(operation), token);
  if constexpr (std::is_void_v<Result>) {
    co_await std::move(started);
    wait.ended(error, limits.within());
  } else {
    Result result = co_await std::move(started);
    wait.ended(error, limits.within());
    co_return result;
  }
}

} // namespace deterministic
