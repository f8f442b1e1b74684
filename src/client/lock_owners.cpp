#include "client/lock_owners.hpp"

#include <utility>

namespace zklock::detail {

bool lock_owners::serve(acquisition& c) {
  const auto found = share(c);
  if (found == sharing::unproven) {
    line_.set_in_doubt(c);
    unproven_.push_back(c.shared_from_this());
  }
  return found != sharing::none;
}

void lock_owners::serve_again() {
  for (const auto& c : std::exchange(unproven_, {})) {
    // The acquisition timed out or was cancelled.
    if (c->current() != acquisition::phase::waiting) continue;
    switch (share(*c)) {
    case sharing::none:
      line_.wait_again(*c);
      break;
    case sharing::unproven:
      unproven_.push_back(c);
      break;
    case sharing::done:
      break;
    }
  }
}

std::vector<std::shared_ptr<acquisition>> lock_owners::take_waiting() {
  std::vector<std::shared_ptr<acquisition>> taken;
  for (auto& c : std::exchange(unproven_, {}))
    if (line_.take_out(*c)) taken.push_back(std::move(c));
  return taken;
}

lock_owners::sharing lock_owners::share(acquisition& c) {
  const auto refuse = [&](errc why) {
    const auto out = line_.take_out(c);
    c.refuse(why);
    return sharing::done;
  };
  const auto known = newest_[owner_of(c)].lock();
  if (known && known.get() != &c) {
    if (known->current() == acquisition::phase::held) {
      const auto held = known->held();
      const auto wanted = c.wanted();
      const bool enough = (held.wants == wanted.wants || held.wants == queue::role::exclusive) &&
                          wanted.permits <= held.permits;
      if (!enough) return refuse(errc::upgrade_refused);
      if (!requester_.proven()) {
        tickets_.prove(*known);
        return sharing::unproven;
      }
      const auto out = line_.take_out(c);
      c.grant_shared(known);
      return sharing::done;
    }
    if (known->current() == acquisition::phase::waiting) return refuse(errc::owner_busy);
  }
  newest_[owner_of(c)] = c.weak_from_this();
  return sharing::none;
}

bool lock_owners::holds(std::uint64_t owner) const noexcept {
  const auto found = newest_.find(owner);
  const auto known = found == newest_.end() ? nullptr : found->second.lock();
  return known && known->current() == acquisition::phase::held;
}

void lock_owners::forget(const acquisition& c) noexcept {
  const auto it = newest_.find(owner_of(c));
  if (it != newest_.end() && it->second.lock().get() == &c) newest_.erase(it);
}

} // namespace zklock::detail
