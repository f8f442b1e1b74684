// Checks the requests of a semaphore's queue.

#include "conduct.hpp"
#include "failure.hpp"

namespace simulation {

using action_kind = action::kind;

// A free cycle of a single permit costs four requests at most. If several acquisitions wait for
// each other's permits, each change of the list costs a new list.
void conduct::check_steady(const action& action) {
  if (action.what == action_kind::create) return;
  if (plan_.kind != lock_kind::counted) {
    if (action.what == action_kind::remove) return;
    fail(to_string(action.what), " is asked for in a steady state");
  }
  if (action.what == action_kind::take || action.what == action_kind::remove_permits) return;
  if (action.what != action_kind::list_permits)
    fail(to_string(action.what), " is asked for in a steady state");
  if (plan_.callers == 1 && ++lists_ > last_acquisition_)
    fail("the permits are listed more often than there are acquisitions");
}

// The permits that exist or are being created, except own permits that are being released or will
// be. If the entry that the permits replace is gone, and no permit exists, the permits will never
// exist.
std::size_t conduct::permits_out() const {
  std::size_t out = 0;
  for (const auto child : ensemble_.truth().at(permits_).children) {
    const node& permit = ensemble_.at(child);
    if (ensemble_.is_misled(permit.owner, permit.entry)) continue;
    const auto of = permit.owner == session_ ? requested_.find(permit.entry) : requested_.end();
    out += permit.owner != session_ ||
           (of != requested_.end() && of->second.deletes == 0 && !of->second.left_behind);
  }
  for (const auto& [id, entry] : requested_)
    if (entry.deletes == 0 && node_of(id) != no_such_node) out += entry.taking;
  return out;
}

void conduct::check_take(requested_entry& entry, const action& action) {
  attempt* const found = find(action.acquisition);
  if (!found || !found->waits())
    fail("permits are taken for acquisition ", action.acquisition, ", which does not wait");
  attempt& attempt = *found;
  if (action.permits != attempt.wanted)
    fail("acquisition ", attempt.id, " wants ", attempt.wanted, " permits, not ", action.permits);
  if (entry.deletes != 0 || entry.taking != 0 || entry.holder != 0)
    fail("permits are taken for entry ", action.entry, ", which is not in line");
  if (!attempt.tries)
    for (const auto& [id, other] : attempts_) {
      if (id >= attempt.id) break;
      if (may_overtake(attempt, other)) continue;
      if (other.waits() && !other.tries && !other.taking)
        fail("acquisition ", attempt.id, " takes permits before acquisition ", id);
    }
  if (entry.asked < attempt.id)
    fail("acquisition ", attempt.id, " takes an entry that was asked for before it came");
  // An entry that was deleted by hand takes no permits, and a misled client releases its permits.
  const bool counts = node_of(action.entry) != no_such_node && !is_misled_;
  if (counts && permits_out() + action.permits > limit_)
    fail("acquisition ", attempt.id, " takes ", action.permits, " permits, and ", permits_out(),
         " are out already");
  if (action.identity != attempt.identity)
    fail("acquisition ", attempt.id, " takes permits with the identity ", action.identity);
  attempt.taking = true;
  entry.taking = action.permits;
  entry.is_back = false;
  entry.taker = attempt.id;
}

void conduct::taken(entry_id id, bool ok) noexcept {
  requested_entry* const of = find_requested(id);
  if (!of) return;
  if (!ok)
    if (attempt* const taker = find(of->taker)) taker->taking = false;
  of->is_back = !ok && node_of(id) != no_such_node;
  of->taking = 0;
}

void conduct::check_orphan_permit(const action& action) {
  const auto found = ensemble_.truth().find(permits_, action.name);
  if (found == no_such_node) return;
  const node& orphan = ensemble_.at(found);
  if (orphan.owner != session_) fail("the permit ", action.name, " is deleted, but is not ours");
  const requested_entry* const of = find_requested(orphan.entry);
  const attempt* const holder = of ? find(of->holder) : nullptr;
  if ((of && of->taking != 0) || (holder && holder->wants_something()))
    fail("the permit ", action.name, " is deleted as an orphan, but wanted");
}

// Requests under way when the connection was lost are never answered.
void conduct::settle_takes() noexcept {
  for (auto& [id, entry] : requested_) {
    if (entry.taking == 0) continue;
    taken(id, node_of(id) == no_such_node && has_nodes(id));
  }
}

// A node in line, or a permit.
bool conduct::has_nodes(entry_id id) const {
  if (node_of(id) != no_such_node) return true;
  if (plan_.kind != lock_kind::counted) return false;
  for (const auto child : ensemble_.truth().at(permits_).children)
    if (ensemble_.at(child).owner == session_ && ensemble_.at(child).entry == id) return true;
  return false;
}

// All wanted permits, or none: missing permits were deleted by hand.
void conduct::note_permits(attempt& attempt, const action& action) {
  for (node_id one = attempt.node;; ++one) {
    const node& permit = ensemble_.at(one);
    attempt.permits.push_back(one);
    if (permit.entry != action.entry || permit.czxid != action.czxid)
      fail("acquisition ", attempt.id, " is granted by the permits of another one");
    if (attempt.permits.size() == attempt.wanted) return;
  }
}

} // namespace simulation
