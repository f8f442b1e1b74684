#include "chaos/client/held.hpp"
#include "chaos/client/waiters.hpp"
#include "chaos/locks.hpp"

#include <vector>

namespace chaos {
namespace {

std::vector<zklock::any_lock> all_locks(scene& here) {
  std::vector<zklock::any_lock> all;
  for (std::size_t i = 0; i < several_mutexes; ++i)
    all.push_back(zklock::mutex(here.zk, several_path(i)));
  return all;
}

std::vector<std::uint64_t> note_all_asked(scene& here, const std::vector<zklock::any_lock>& locks,
                                          const zklock::acquire_options& options) {
  std::vector<std::uint64_t> operations;
  for (const auto& each : locks)
    operations.push_back(note_asked(here, each.path(), 'x', 1, options));
  return operations;
}

asio::awaitable<void> take_both(scene& here, std::vector<zklock::any_lock> locks) {
  auto options = random_options(here);
  const auto hold_limit = options.hold_limit;
  const auto operations = note_all_asked(here, locks, options);
  zklock::multi_lock both(std::move(locks));
  auto [error, held] = co_await both.acquire(std::move(options), as_result);
  if (error) {
    for (const auto each : operations)
      note_failed(here, each, error);
    co_return;
  }
  for (std::size_t i = 0; i < operations.size(); ++i)
    note_granted(here, held.holds()[i], operations[i], hold_limit);
  const auto time = random_stay(here);
  co_await stay(here, held.holds()[0], operations[0], time);
  for (std::size_t i = 0; i < operations.size(); ++i)
    here.log.write('R', operations[i], held.holds()[i].valid_until().time_since_epoch().count());
  auto [failed] = co_await held.release(as_result);
  for (const auto each : operations)
    here.log.write('D', each, failed.value());
}

} // namespace

asio::awaitable<void> take_several(scene& here) {
  const auto all = all_locks(here);
  while (!here.stopping) {
    const auto first = static_cast<std::size_t>(here.random(0, several_mutexes - 1));
    const auto other = (first + static_cast<std::size_t>(here.random(1, 2))) % several_mutexes;
    std::vector<zklock::any_lock> two{all[first], all[other]};
    co_await take_both(here, std::move(two));
    const milliseconds time(here.random(0, 50));
    co_await pause(here, time);
  }
}

asio::awaitable<void> take_any(scene& here) {
  const auto all = all_locks(here);
  while (!here.stopping) {
    auto options = random_options(here);
    const auto hold_limit = options.hold_limit;
    const auto operations = note_all_asked(here, all, options);
    auto [error, which, held] = co_await zklock::acquire_any(all, std::move(options), as_result);
    for (std::size_t i = 0; i < operations.size(); ++i)
      if (error || i != which) note_failed(here, operations[i], error);
    if (!error) {
      const auto operation = operations[which];
      note_granted(here, held, operation, hold_limit);
      const auto time = random_stay(here);
      co_await stay(here, held, operation, time);
      co_await release_hold(here, std::move(held), operation);
    }
    const milliseconds time(here.random(0, 50));
    co_await pause(here, time);
  }
}

} // namespace chaos
