#include "operation.hpp"

namespace deterministic {

using namespace std::chrono_literals;

namespace {

// The time that handlers, system calls and readings of clocks take in the simulation.
constexpr auto tolerance = 100ms;

} // namespace

wait::wait(world& world, const host& of, std::string what)
    : world_(world),
      pauses_(of.pauses()),
      life_(of.life()),
      position_(world.waits.insert(world.waits.end(), std::move(what))),
      begun_(world.clock().now()),
      paused_(pauses_.so_far(begun_)) {
  world_.tell(*position_);
}

void wait::ended(const zklock::error_code& error, std::optional<std::chrono::nanoseconds> within) {
  const auto now = world_.clock().now();
  const auto took = now - begun_ - (pauses_.so_far(now) - paused_);
  world_.tell(*position_, ": ", error ? error.message() : "done");
  if (within && took > *within + tolerance)
    world_.violated(text(*position_, " took ", seconds(took), " s instead of ", seconds(*within)));
}

asio::awaitable<void> sleep(std::chrono::nanoseconds duration) {
  asio::steady_timer timer(co_await asio::this_coro::executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

} // namespace deterministic
