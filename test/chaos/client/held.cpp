#include "chaos/client/held.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>

namespace chaos {

zklock::acquire_options random_options(scene& here) {
  zklock::acquire_options options;
  if (here.chance(40)) options.timeout = milliseconds(here.random(1'000, 10'000));
  if (here.chance(15)) options.timeout = milliseconds(here.random(0, 500));
  if (here.chance(5)) options.hold_limit = milliseconds(here.random(5, 500));
  return options;
}

milliseconds random_stay(scene& here) {
  if (here.chance(1)) return milliseconds(here.random(2'000, 6'000));
  if (here.chance(3)) return milliseconds(here.random(300, 1'500));
  return milliseconds(here.random(1, 30));
}

std::uint64_t note_asked(scene& here, std::string_view lock, char mode, std::int64_t count,
                         const zklock::acquire_options& options) {
  const auto operation = ++here.operations;
  const auto timeout = options.timeout.left();
  const bool limited = timeout != timeout.max();
  here.log.write('A', operation, lock, mode, count,
                 limited ? std::chrono::ceil<milliseconds>(timeout).count() : -1);
  return operation;
}

void note_failed(scene& here, std::uint64_t operation, zklock::error_code error) {
  here.log.write('E', operation, error.value());
  if (error == zklock::errc::authentication_failed) here.stopping = true;
}

void note_granted(scene& here, const zklock::hold& held, std::uint64_t operation,
                  std::chrono::nanoseconds hold_limit, notice wanted) {
  const auto token = held.token();
  here.log.write('G', operation, token.transaction(), token.turn(),
                 held.valid_until().time_since_epoch().count(), here.zk.session_id(), held.node());
  if (hold_limit != std::chrono::nanoseconds::max()) {
    // Later values of valid_until would not show it: they end at once when the hold is lost.
    // The process may be paused between the two clocks: then the end is too early.
    const auto now = zklock::boot_clock::now();
    const auto held_for = std::chrono::steady_clock::now() - held.held_since();
    const auto end = now - held_for + hold_limit;
    here.log.write('T', operation, end.time_since_epoch().count());
  }
  if (wanted == notice::none) return;
  held.wait_lost([&here, operation](zklock::error_code error, zklock::error_code reason) {
    if (!error) here.log.write('L', operation, reason.value());
  });
}

asio::awaitable<zklock::hold> obtain(scene& here, zklock::any_lock lock,
                                     zklock::acquire_options options, std::uint64_t operation,
                                     notice wanted) {
  const auto hold_limit = options.hold_limit;
  auto [error, held] = co_await lock.acquire(std::move(options), as_result);
  if (error)
    note_failed(here, operation, error);
  else
    note_granted(here, held, operation, hold_limit, wanted);
  co_return std::move(held);
}

asio::awaitable<void> stay(scene& here, const zklock::hold& held, std::uint64_t operation,
                           milliseconds time) {
  asio::steady_timer timer(here.io);
  const auto end = std::chrono::steady_clock::now() + time;
  for (auto now = std::chrono::steady_clock::now(); now < end && !here.stopping;
       now = std::chrono::steady_clock::now()) {
    timer.expires_at(std::min(end, now + 100ms));
    co_await timer.async_wait(asio::use_awaitable);
    if (held.state() == zklock::hold_state::lost) co_return;
    here.log.write('V', operation, held.valid_until().time_since_epoch().count());
  }
}

asio::awaitable<void> release_hold(scene& here, zklock::hold held, std::uint64_t operation) {
  here.log.write('R', operation, held.valid_until().time_since_epoch().count());
  auto [error] = co_await held.release(as_result);
  here.log.write('D', operation, error.value());
}

asio::awaitable<void> pause(scene& here, milliseconds time) {
  asio::steady_timer timer(here.io, time);
  co_await timer.async_wait(asio::use_awaitable);
}

} // namespace chaos
