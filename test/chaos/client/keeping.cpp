#include "chaos/client/held.hpp"
#include "chaos/client/waiters.hpp"
#include "chaos/locks.hpp"

namespace chaos {
namespace {

// Acquires a lock, keeps it for a while, and releases it.
asio::awaitable<void> take(scene& here, zklock::any_lock lock, char mode, std::int64_t count) {
  auto options = random_options(here);
  const auto operation = note_asked(here, lock.path(), mode, count, options);
  auto held = co_await obtain(here, lock, std::move(options), operation);
  if (held.state() == zklock::hold_state::empty) co_return;
  const auto time = random_stay(here);
  co_await stay(here, held, operation, time);
  if (mode == 'x' && here.chance(30)) {
    here.log.write('w', operation);
    auto [error] = co_await held.downgrade(as_result);
    if (!error) {
      here.log.write('W', operation);
      co_await stay(here, held, operation, time);
    }
  }
  co_await give_back(here, std::move(held), operation);
}

} // namespace

asio::awaitable<void> read_and_write(scene& here, std::size_t lock) {
  const zklock::shared_mutex guard(here.zk, shared_path(lock));
  while (!here.stopping) {
    if (here.chance(30))
      co_await take(here, guard, 'x', 1);
    else
      co_await take(here, guard.shared(), 's', 1);
    const milliseconds time(here.random(0, 50));
    co_await pause(here, time);
  }
}

asio::awaitable<void> take_permits(scene& here) {
  const zklock::semaphore guard(here.zk, permits_path, permit_limit);
  while (!here.stopping) {
    const int count = here.chance(50) ? 1 : here.random(2, 3);
    co_await take(here, guard.permits(count), 'p', count);
    const milliseconds time(here.random(0, 50));
    co_await pause(here, time);
  }
}

} // namespace chaos
