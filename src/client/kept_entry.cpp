#include "client/kept_entry.hpp"

#include "client/lock_counters.hpp"

namespace zklock::detail {

bool kept_entry::make_offer(const offer& what) noexcept {
  if (state_.load(std::memory_order_acquire) != not_offered) return false;
  offer_ = what;
  next_turn_.store(what.next_turn, std::memory_order_relaxed);
  state_.store(unused, std::memory_order_release);
  return true;
}

// What is just taking it finds that out, and is not waited for.
acquisition* kept_entry::take_back() noexcept {
  for (auto was = state_.load(std::memory_order_acquire);;) {
    if (was == not_offered || was == revoked) return nullptr;
    const auto then = (was & taking) != 0 ? revoked : not_offered;
    if (!state_.compare_exchange_weak(was, then, std::memory_order_acq_rel)) continue;
    return is_holder(was) ? reinterpret_cast<acquisition*>(was) : nullptr;
  }
}

bool kept_entry::take(const acquisition& by) noexcept {
  return state_.load(std::memory_order_relaxed) == unused && change(unused, taker(by));
}

bool kept_entry::give_to(acquisition& to) noexcept {
  const auto turn = next_turn_.load(std::memory_order_relaxed);
  if (turn == offer_.end_of_turns || offer_.wants != to.wanted().wants) {
    put_back(to);
    return false;
  }
  auto& counters = *offer_.counters;
  to.hold_kept(fencing_token(offer_.czxid, turn), offer_.place);
  next_turn_.store(turn + 1, std::memory_order_relaxed);
  if (!change(taker(to), holder(to))) {
    end_revoked();
    to.wait_again();
    return false;
  }
  counters.kept_granted();
  return true;
}

void kept_entry::put_back(const acquisition& by) noexcept {
  if (!change(taker(by), unused)) end_revoked();
}

// The next one may hold at once, so all that concerns this one is read before. As long as it holds
// no other offer is made.
bool kept_entry::release(const acquisition& by) noexcept {
  if (state_.load(std::memory_order_relaxed) != holder(by)) return false;
  auto& counters = *offer_.counters;
  const auto held = std::chrono::steady_clock::now() - by.since;
  if (!change(holder(by), unused)) return false;
  counters.kept_released(held);
  return true;
}

} // namespace zklock::detail
