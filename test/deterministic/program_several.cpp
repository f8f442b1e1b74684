#include <zklock/acquire_any.hpp>
#include <zklock/multi_lock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/owner.hpp>

#include "program.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <tuple>
#include <vector>

namespace deterministic {

using namespace std::chrono_literals;
using zklock::errc;

asio::awaitable<void> program::take_several() {
  std::vector<lock_use> uses;
  std::vector<zklock::any_lock> locks;
  for (auto i = random_.between(1, 3); i != 0; --i) {
    auto use = any_use();
    const auto is_same = [&](const lock_use& other) { return other.path == use.path; };
    if (std::any_of(uses.begin(), uses.end(), is_same)) continue;
    locks.push_back(lock_of(use));
    uses.push_back(std::move(use));
  }
  attempt what = any_attempt(uses.front());
  what.options.hold_limit = attempt{}.options.hold_limit;
  for (const auto& each : uses)
    if (each.role == zklock::participant_role::permit) what.use.role = each.role;
  if (uses.size() > 1) what.use.permits = std::numeric_limits<std::int64_t>::max();
  zklock::error_code error;
  zklock::multi_hold held;
  {
    wait waiting(world_, host_, text(name_, " acquires ", uses.size(), " locks"));
    const counted_try counted(world_, what);
    zklock::multi_lock all(std::move(locks));
    auto operation = all.acquire(options_of(what));
    held = co_await carry_out<zklock::multi_hold>(waiting, std::move(operation), limits_of(what),
                                                  error);
  }
  check(error, what);
  if (error) co_return;
  world_.statistics.count(seen::several_held);
  {
    std::list<referee::watch> relied;
    for (std::size_t i = 0; i < uses.size(); ++i)
      relied.emplace_back(world_.referee, held.holds()[i], uses[i], host_.running(), false);
    world_.tell(name_, " holds ", uses.size(), " locks");
    co_await sleep(about(world_.design.hold_time));
  }
  if (random_.chance(50)) co_return;
  wait waiting(world_, host_, name_ + " releases several locks");
  auto operation = held.release();
  co_await carry_out<void>(waiting, std::move(operation), {}, error);
  if (error && error != errc::not_connected && error != errc::closed)
    surprised("a release of several locks", error);
}

asio::awaitable<void> program::take_any() {
  std::vector<lock_use> uses;
  std::vector<zklock::any_lock> locks;
  for (std::size_t i = 0; i < 2; ++i) {
    uses.push_back(any_use(false));
    locks.push_back(lock_of(uses.back()));
  }
  attempt what = any_attempt(uses.front());
  zklock::error_code error;
  std::size_t index = 0;
  zklock::hold held;
  {
    wait waiting(world_, host_, name_ + " acquires one of two locks");
    const counted_try counted(world_, what);
    auto operation = zklock::acquire_any(std::move(locks), options_of(what));
    std::tie(index, held) = co_await carry_out<std::tuple<std::size_t, zklock::hold>>(
        waiting, std::move(operation), limits_of(what), error);
  }
  check(error, what);
  if (error) co_return;
  world_.statistics.count(seen::one_of_several_held);
  co_await keep(held, uses[index]);
  co_await give_back(std::move(held));
}

asio::awaitable<void> program::acquire_again() {
  const zklock::owner owner;
  attempt what = any_attempt(any_use(false));
  what.options.owner = owner;
  what.use.owner = owner.id();
  zklock::error_code error;
  auto first = co_await acquire(what, error);
  if (error) co_return;
  const referee::watch relied(world_.referee, first, what.use, host_.running(), false);
  co_await sleep(about(world_.design.hold_time) / 2);
  if (!host_.client(client_)) co_return;
  // The client with this number may have been replaced by now.
  lock_use use = what.use;
  use.asked = world_.clock().now();
  use.ahead = always_ahead();
  attempt again = any_attempt(use);
  if (!again.has_timeout()) again.options.timeout = 10s;
  again.options.owner = owner;
  auto second = co_await acquire(again, error);
  if (error) co_return;
  co_await keep(second, use);
  co_await give_back(std::move(second));
  co_await sleep(about(world_.design.hold_time) / 2);
}

asio::awaitable<void> program::write_then_read() {
  if (world_.design.shared_mutexes == 0) co_return;
  const attempt what = any_attempt(use_of(
      text("/locks/shared-", random_.below(world_.design.shared_mutexes), world_.design.name_end)));
  zklock::error_code error;
  auto held = co_await acquire(what, error);
  if (error) co_return;
  {
    referee::watch relied(world_.referee, held, what.use, host_.running(), false);
    co_await sleep(about(world_.design.hold_time) / 2);
    // Other clients may read as soon as the servers have carried the downgrade out.
    relied.downgraded();
    wait waiting(world_, host_, name_ + " becomes a reader");
    auto operation = held.downgrade();
    co_await carry_out<void>(waiting, std::move(operation), {}, error);
    check_lost(error, what);
    co_await sleep(about(world_.design.hold_time) / 2);
  }
  co_await give_back(std::move(held));
}

asio::awaitable<void> program::change_limit() {
  const auto limit = random_.between(1, static_cast<std::size_t>(world_.design.limit));
  const attempt what = any_attempt(use_of("/locks/limit"));
  co_await set_limit(what, limit);
}

// Under a lock of its own: a caller may hold the lock of the limit, and wait for a lock whose
// holder waits for the limit to rise.
asio::awaitable<void> program::raise_limit() {
  // A client that was closed before the faults ended is destroyed after them.
  if (!is_ready()) co_return;
  const attempt what{.use = use_of("/locks/raise")};
  co_await set_limit(what, static_cast<std::size_t>(world_.design.limit));
}

// A number of four bytes, the highest first, as Curator's SharedCount writes it.
asio::awaitable<void> program::set_limit(attempt what, std::size_t limit) {
  zklock::error_code error;
  auto held = co_await acquire(what, error);
  if (error) co_return;
  // A caller may wait for all permits, and nothing raises the limit once the programs have ended.
  if (world_.healed) limit = static_cast<std::size_t>(world_.design.limit);
  world_.referee.limit_may_be(world_.design.root + "/locks/permits-told" + world_.design.name_end,
                              static_cast<std::int64_t>(limit));
  const std::string data{0, 0, 0, static_cast<char>(limit)};
  world_.tell(name_, " sets the limit to ", limit);
  world_.statistics.count(seen::limit_changed);
  zklock::transaction create;
  create.create(path_of("/limit"), data);
  co_await commit(held, std::move(create));
  zklock::transaction set;
  set.set(path_of("/limit"), data);
  co_await commit(held, std::move(set));
  co_await give_back(std::move(held));
}

} // namespace deterministic
