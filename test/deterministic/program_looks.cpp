#include <zklock/found_lock.hpp>

#include "program.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace deterministic {

using namespace std::chrono_literals;
using zklock::errc;
using zklock::participant;

asio::awaitable<void> program::look() {
  const auto use = any_use();
  const auto lock = lock_of(use);
  wait waiting(world_, host_, name_ + " looks at " + use.path);
  limits limits;
  if (random_.chance(30)) limits.cancelled_after = draw(random_, 0ms, 2s);
  zklock::error_code error;
  const auto how = random_.below(3);
  if (how == 0) {
    const auto all =
        co_await carry_out<std::vector<participant>>(waiting, lock.participants(), limits, error);
    const auto holders = std::count_if(all.begin(), all.end(), [](const participant& each) {
      return each.is_holder && each.role == zklock::participant_role::exclusive;
    });
    if (holders > 1) surprised(text(holders, " holders of ", use.path, ": their list"), error);
    check_hidden(!all.empty());
  } else if (how == 1) {
    const auto count =
        co_await carry_out<std::size_t>(waiting, lock.count_waiting(), limits, error);
    check_hidden(count != 0);
  } else {
    co_await carry_out<std::vector<zklock::found_lock>>(
        waiting, client().find_locks(path_of("/locks")), limits, error);
    // Before the first lock is made, and after the last lock is forgotten.
    if (error == errc::no_node) co_return;
    if (error == errc::no_chroot && host_.has_chroot(client_)) co_return;
  }
  check_looked(error, limits.cancelled_after.has_value());
}

asio::awaitable<void> program::follow_holder() {
  const auto use = any_use();
  const auto lock = lock_of(use);
  limits limits;
  std::optional<participant> known;
  for (int i = 0; i < 4 && !world_.healed; ++i) {
    wait waiting(world_, host_, name_ + " follows the holder of " + use.path);
    limits.cancelled_after = draw(random_, 0ms, 20s);
    zklock::error_code error;
    known = co_await carry_out<std::optional<participant>>(waiting, lock.wait_holder_changed(known),
                                                           limits, error);
    check_looked(error, true);
    if (error) co_return;
    world_.statistics.count(seen::holder_change_seen);
    check_hidden(true);
  }
}

// Asks the holders to release, and sometimes takes the lock away from them.
asio::awaitable<void> program::try_all() {
  if (!is_ready() || host_.is_stranger()) co_return;
  std::vector<lock_use> all;
  for (std::size_t i = 0; i < world_.design.mutexes; ++i)
    all.push_back(use_of(text("/locks/mutex-", i, world_.design.name_end)));
  for (std::size_t i = 0; i < world_.design.shared_mutexes; ++i)
    all.push_back(use_of(text("/locks/shared-", i, world_.design.name_end)));
  for (auto& use : all) {
    // A client that was closed before the faults ended may be destroyed during a try.
    if (!is_ready()) co_return;
    attempt what{.use = std::move(use)};
    what.options.timeout = 0ns;
    zklock::error_code error;
    auto held = co_await acquire(what, error);
    if (error == errc::busy && world_.design.caching) {
      // The client that caches the lock may hear of the try too late, but evicts unused entries.
      co_await sleep(world_.design.longest_timeout);
      if (!is_ready()) co_return;
      held = co_await acquire(what, error);
    }
    if (error == errc::busy) surprised("trying what is free", error);
    if (!error) co_await give_back(std::move(held));
  }
}

asio::awaitable<void> program::disturb() {
  const auto use = any_use();
  const auto lock = lock_of(use);
  wait waiting(world_, host_, name_ + " disturbs the holders of " + use.path);
  zklock::error_code error;
  // Waiters are asked, and deleted, too.
  const bool all = random_.chance(50);
  std::vector<participant> found;
  if (all)
    found = co_await carry_out<std::vector<participant>>(waiting, lock.participants(), {}, error);
  else
    found = co_await carry_out<std::vector<participant>>(waiting, lock.holders(), {}, error);
  check_looked(error, false);
  if (error || found.empty()) co_return;
  if (all) std::swap(found.front(), found[random_.below(found.size())]);
  if (world_.design.calm || random_.chance(50)) {
    co_await carry_out<void>(waiting, lock.request_release(found.front()), {}, error);
  } else {
    world_.referee.may_be_broken(found.front().node);
    const auto broken =
        co_await carry_out<std::size_t>(waiting, lock.break_lock(found.front()), {}, error);
    if (broken != 0) world_.statistics.count(seen::broken);
    if (broken != 0 && host_.is_stranger()) surprised("breaking a lock of others", error);
  }
  check_looked(error, false);
}

} // namespace deterministic
