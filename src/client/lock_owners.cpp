#include "client/lock_owners.hpp"

#include <utility>

namespace zklock::detail {

bool lock_owners::serve(acquisition& c) {
  const auto known = newest_[owner_of(c)].lock();
  const auto is = known && known.get() != &c ? known->current() : acquisition::phase::ended;
  if (is != acquisition::phase::held && is != acquisition::phase::waiting) {
    newest_[owner_of(c)] = c.weak_from_this();
    return false;
  }
  const auto refuse = [&](errc why) {
    const auto out = line_.take_out(c);
    c.refuse(why);
    return true;
  };
  if (is == acquisition::phase::waiting) return refuse(errc::owner_busy);
  const auto held = known->held();
  const auto wanted = c.wanted();
  const bool enough = (held.wants == wanted.wants || held.wants == queue::role::exclusive) &&
                      wanted.permits <= held.permits;
  if (!enough) return refuse(errc::upgrade_refused);
  if (!requester_.proven()) {
    line_.set_in_doubt(c);
    unproven_.push_back(c.shared_from_this());
    return true;
  }
  const auto out = line_.take_out(c);
  c.grant_shared(known);
  return true;
}

// Acquisitions that are over timed out, or were cancelled.
void lock_owners::serve_again() {
  for (const auto& c : std::exchange(unproven_, {}))
    if (c->current() == acquisition::phase::waiting && !serve(*c)) line_.wait_again(*c);
}

// A request for a proof may close the line, which gives tickets to the acquisitions in line. An
// acquisition that is about to leave the line would leave its demand in the queue, which would be
// granted the lock for nobody. A closing line may have acquisitions served again, which changes the
// list: the loop runs over a copy.
void lock_owners::prove() {
  for (const auto& c : std::vector(unproven_))
    if (const auto known = newest_[owner_of(*c)].lock()) tickets_.prove(*known);
}

std::vector<std::shared_ptr<acquisition>> lock_owners::take_waiting() {
  std::vector<std::shared_ptr<acquisition>> taken;
  for (auto& c : std::exchange(unproven_, {}))
    if (line_.take_out(*c)) taken.push_back(std::move(c));
  return taken;
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
