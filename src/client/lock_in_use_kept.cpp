// What a lock keeps for its next use.

#include "client/client_impl.hpp"
#include "client/kept_entry.hpp"
#include "client/lock_in_use.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

// A conflict is over when no entry of ours is left.
void lock_in_use::note_conflicts() {
  const auto conflicts = driver_.state().cache_conflicts();
  if (std::exchange(conflicts_, conflicts) != conflicts)
    times_.conflict_began(keep_times::clock::now(), driver_.state().is_any(queue::role::shared));
  if (times_.is_in_conflict() && driver_.state().entries().empty())
    times_.conflict_ended(keep_times::clock::now());
}

// What was delivered to a former holder would be delivered to the next one again.
void lock_in_use::offer_kept() {
  if (!kept_ || offered_ || !acquisitions_.empty() || !delivered_.empty()) return;
  const auto* const e = driver_.state().grantable_outside();
  if (!e) return;
  const kept_entry::offer what{.place = {.session = client_.locks().token(),
                                         .entry = e->id,
                                         .label = policy_.label(e->wants),
                                         .number = e->number},
                               .wants = e->wants,
                               .czxid = e->czxid,
                               .next_turn = e->turn,
                               .end_of_turns = driver_.state().most_turns(),
                               .counters = &counters_};
  if (!kept_->make_offer(what)) return;
  seen_turn_ = e->turn;
  offered_ = kept_;
}

void lock_in_use::take_back() {
  if (!offered_) return;
  note_offered_uses();
  const auto offered = std::exchange(offered_, nullptr);
  acquisition* const holder = offered->take_back();
  queue::acquisition_id id = 0;
  if (holder) id = client_.locks().adopt(*holder, *this);
  driver_.granted_outside(offered->entry(), offered->next_turn(), id);
}

void lock_in_use::adopt(const std::shared_ptr<acquisition>& c) {
  c->adopted(counters_);
  acquisitions_.emplace(c->id, c);
}

void lock_in_use::note_offered_uses() {
  if (!offered_) return;
  const auto turn = offered_->next_turn();
  const auto uses = turn - std::exchange(seen_turn_, turn);
  if (uses != 0 || offered_->is_held()) times_.used(keep_times::clock::now(), std::max(uses, 1u));
}

} // namespace zklock::detail
