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
  co_await release_hold(here, std::move(held), operation);
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

asio::awaitable<void> take_permits(scene& here, zklock::semaphore guard) {
  while (!here.stopping) {
    const int count = here.chance(50) ? 1 : here.random(2, 3);
    co_await take(here, guard.permits(count), 'p', count);
    const milliseconds time(here.random(0, 50));
    co_await pause(here, time);
  }
}

asio::awaitable<void> change_limit(scene& here) {
  const zklock::semaphore guard(here.zk, counted_permits_path, zklock::limit_node{limit_path});
  while (!here.stopping) {
    auto options = random_options(here);
    const auto operation = note_asked(here, guard.path(), 'p', 1, options);
    auto held = co_await obtain(here, guard, std::move(options), operation);
    if (held.state() != zklock::hold_state::empty) {
      zklock::transaction writes;
      writes.set(limit_path, limit_data(here.random(least_limit, permit_limit)));
      co_await held.commit(std::move(writes), as_result);
      co_await release_hold(here, std::move(held), operation);
    }
    const milliseconds time(here.random(0, 1'000));
    co_await pause(here, time);
  }
}

} // namespace chaos
