// The steps of careless programs.

#include <zklock/acquire_any.hpp>
#include <zklock/multi_lock.hpp>

#include "program.hpp"

#include <tuple>
#include <utility>

namespace deterministic {

using namespace std::chrono_literals;

// An operation begins when it is started.
void program::drop_operations(zklock::hold& held) {
  world_.statistics.count(seen::operation_dropped);
  const auto token = held.token();
  {
    const life::call now(*life_);
    zklock::transaction writes;
    writes.remove(held.node());
    const auto dropped = std::tuple(held.release(), held.downgrade(), held.wait_lost(),
                                    held.wait_release_requested(), held.commit(std::move(writes)),
                                    held.set_identity("dropped"));
    const auto copy = dropped;
    if (is_ready()) {
      const auto closed = std::tuple(client().close(), client().evict_cached());
      const auto closed_again = closed;
    }
  }
  if (held.token() != token) world_.violated(name_ + " loses a hold to what it has dropped");
}

loop* program::any_loop() {
  const auto& all = process_.loops();
  return all.empty() || random_.chance(50) ? nullptr : all[random_.below(all.size())].get();
}

asio::awaitable<void> program::leave_behind() {
  attempt what = any_attempt(any_use());
  what.cancelled_after = std::nullopt;
  if (what.is_try()) what.options.timeout = 1s;
  auto lock = lock_of(what.use);
  const auto keep = [this, self = shared_from_this()](auto held) {
    if (!world_.healed) return life_->keep(std::move(held));
    const life::call now(*life_);
    const auto dropped = std::move(held);
  };
  const auto about_it = name_ + " acquires in the background " + what.use.path;
  world_.tell(about_it);
  const auto kind = random_.below(4);
  if (kind == 0) {
    auto ended = [keep](zklock::error_code error, zklock::multi_hold held) {
      if (!error) keep(std::move(held));
    };
    zklock::multi_lock all(lock, lock_of(use_of("/locks/limit")));
    start_on<void(zklock::error_code, zklock::multi_hold)>(
        any_loop(), about_it, all.acquire(options_of(what)), std::move(ended));
  } else if (kind == 1) {
    auto ended = [keep](zklock::error_code error, std::size_t, zklock::hold held) {
      if (!error) keep(std::move(held));
    };
    start_on<void(zklock::error_code, std::size_t, zklock::hold)>(
        any_loop(), about_it, zklock::acquire_any({lock, lock_of(any_use())}, options_of(what)),
        std::move(ended));
  } else {
    auto ended = [this, keep, what](zklock::error_code error, zklock::hold held) {
      check(error, what);
      if (!error) keep(std::move(held));
    };
    start_on<void(zklock::error_code, zklock::hold)>(
        any_loop(), about_it, lock.acquire(options_of(what)), std::move(ended));
  }
  if (random_.chance(30)) life_->keep(lock.acquire(options_of(what)));
  if (random_.chance(30)) life_->keep(std::move(lock));
  co_await sleep(about(world_.design.hold_time));
  life_->drop_one(random_);
}

} // namespace deterministic
