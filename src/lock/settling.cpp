// What becomes of directories after each event: which are idle, and which wait for the budget of
// owned bytes.

#include "lock/client_state.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace zklock::detail {

namespace {

// How many locks that nobody uses are remembered.
constexpr std::size_t remembered = 1024;

} // namespace

void client_state::settle(directory& d) {
  auto& hook = static_cast<intrusive::list_base_hook<auto_unlink>&>(d);
  if (hook.is_linked() != d.idle()) {
    if (hook.is_linked()) {
      hook.unlink();
      --idle_count_;
    } else {
      idle_.push_back(d);
      ++idle_count_;
      forget_idle();
    }
  }
  if (d.starved() || !starved_.empty()) settle_starved(d);
}

void client_state::forget_idle() {
  // While entries are being checked, their directories are pointed to.
  if (idle_count_ > remembered && checking_ == 0) forget(idle_.front());
}

void client_state::forget(directory& d) {
  auto& hook = static_cast<intrusive::list_base_hook<auto_unlink>&>(d);
  if (hook.is_linked()) --idle_count_;
  std::erase_if(watched_, [&](const auto& each) { return each.second == &d; });
  directories_.erase(directories_.find(d.path()));
}

// Locks that found the budget used up wait for it in line, and nobody overtakes them: one that is
// never idle would otherwise take again whatever it gives back.
void client_state::settle_starved(directory& d) {
  const auto place = std::find(starved_.begin(), starved_.end(), &d);
  // It may be able to take now what it could not before.
  bool turn = place == starved_.begin();
  if (d.starved() && place == starved_.end()) {
    turn = false;
    if (starved_.empty()) left_over_ = budget_.left();
    starved_.push_back(&d);
  } else if (!d.starved() && place != starved_.end()) {
    starved_.erase(place);
  }
  budget_.close(!starved_.empty());
  turn = turn || budget_.left() > left_over_;
  if (starved_.empty() || !turn || std::exchange(refilling_, true)) return;
  asio::post(*strand_, [self = shared_from_this()] { self->refill(); });
}

void client_state::refill() {
  while (!starved_.empty()) {
    directory& first = *starved_.front();
    const auto before = budget_.left();
    starved_.erase(starved_.begin());
    budget_.close(false);
    // Where it needs more it gets in line again.
    first.refill();
    if (first.starved() && budget_.left() == before) {
      // It got nothing, and keeps its place.
      std::rotate(starved_.begin(), std::prev(starved_.end()), starved_.end());
      break;
    }
  }
  left_over_ = budget_.left();
  refilling_ = false;
}

} // namespace zklock::detail
