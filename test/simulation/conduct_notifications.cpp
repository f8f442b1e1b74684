// Checks the notifications of a queue to its callers.

#include "conduct.hpp"
#include "failure.hpp"

#include <utility>

namespace simulation {

void conduct::check_refuse(const attempt& attempt, reason why) const {
  if (!attempt.waits()) fail("acquisition ", attempt.id, " is refused, but does not wait");
  if (why == reason::sequence_exhausted) return;
  if (why == reason::budget_exhausted) {
    const bool fits = attempt.wanted <= plan_.budget;
    if (fits && (!attempt.tries || plan_.budget >= plan::plenty))
      fail("acquisition ", attempt.id, " is refused for want of room");
    return;
  }
  if (why == reason::too_many_permits) {
    if (attempt.wanted <= plan_.limit && !plan_.limit_is_told)
      fail("acquisition ", attempt.id, " is refused for wanting too much");
    return;
  }
  if (why != reason::busy) {
    if (plan_.weight(deed::deny) == 0)
      fail("acquisition ", attempt.id, " is refused, but nothing was denied: ", to_string(why));
    return;
  }
  if (!attempt.tries)
    fail("acquisition ", attempt.id, " is refused since the lock is taken, but did not just try");
  // A server that lags behind may show entries that are gone; a leader that is alone does not.
  const bool lowered = plan_.limit_is_told && attempt.wanted > limit_;
  if (plan_.servers == 1 && !attempt.has_company && !lowered &&
      ensemble_.last_occupied(directory_) < attempt.since &&
      (plan_.kind != lock_kind::counted || ensemble_.last_occupied(permits_) < attempt.since))
    fail("acquisition ", attempt.id, " is refused although the lock was free all the time");
}

// Those with room do not wait behind those without, which may have lost an entry with more room.
// What another caller has brought may be in use by an earlier acquisition, which took its entry.
bool conduct::may_overtake(const attempt& one, const attempt& other) const {
  return plan_.budget < plan::plenty && (one.caller != 0 || other.wanted > 1);
}

void conduct::check_grant(attempt& attempt, const action& action, bool proven) {
  if (!attempt.waits()) fail("acquisition ", attempt.id, " is granted, but does not wait");
  if (!connected_) fail("acquisition ", attempt.id, " is granted without a connection");
  if (!proven) fail("acquisition ", attempt.id, " is granted by a session that is not proven");
  if (action.number > zklock::queue::last_number)
    fail("acquisition ", attempt.id, " is granted by a number that is too high");
  const bool counted = plan_.kind == lock_kind::counted;
  if (counted && action.permits != attempt.wanted)
    fail("acquisition ", attempt.id, " is granted ", action.permits, " permits");
  // Permits are taken in order; an acquisition that takes permits does not hold up the next,
  // whoever interferes with it.
  if (!attempt.tries && !counted)
    for (const auto& [id, other] : attempts_) {
      if (id >= attempt.id) break;
      if (may_overtake(attempt, other)) continue;
      if (other.waits() && !other.tries && other.wants == attempt.wants)
        fail("acquisition ", attempt.id, " is granted before acquisition ", id);
    }

  requested_entry* const by = find_requested(action.entry);
  if (!by || by->deletes != 0) fail("acquisition ", attempt.id, " is granted by no entry");
  const simulation::attempt* const former = find(by->holder);
  if (former && former->wants_something())
    fail("acquisition ", attempt.id, " is granted by what acquisition ", former->id, " holds");
  // Other acquisitions may have come in between.
  if (by->asked < attempt.id && attempt.wants == role::shared) trade_entries(*by, attempt.id);
  if (!passes_on() && by->asked < attempt.id)
    fail("acquisition ", attempt.id, " is granted by an entry that was asked for before it came");
  if (action.turn != by->turns++)
    fail("acquisition ", attempt.id, " is granted turn ", action.turn, " of entry ", action.entry);
  check_turn(*by, action);
  attempt.node = ensemble_.find_created(action.czxid);
  if (attempt.node == no_such_node) fail("acquisition ", attempt.id, " is granted by no node");
  attempt.node = ensemble_.heir_of(attempt.node);
  const node& node = ensemble_.at(attempt.node);
  if (node.owner != session_ || node.entry != action.entry ||
      (node.number != action.number && !counted) ||
      node.directory != (counted ? permits_ : directory_))
    fail("acquisition ", attempt.id, " is granted by the node of another one");
  if (plan_.kind == lock_kind::shared && node.wants != attempt.wants)
    fail("acquisition ", attempt.id, " is granted by an entry of another role");
  check_identity(attempt, *by, action);
  if (counted) note_permits(attempt, action);
  // A reader that had released before this reader asked has a lower token, unless the entry was
  // cached.
  if (attempt.wants == role::shared && action.turn == 0 &&
      static_cast<std::size_t>(node.token) <= attempt.since)
    fail("acquisition ", attempt.id, " reads by a token from before it asked");
  by->taking = 0;
  by->holder = attempt.id;
  by->in_flight = false;
  by->number = action.number;
  attempt.held = true;
  attempt.entry = action.entry;
}

// The node has the identity of its holder, or the client knows that it does not, and changes it.
void conduct::check_identity(const attempt& attempt, requested_entry& by,
                             const action& action) const {
  const auto& is = ensemble_.at(attempt.node).identity;
  if (action.is_misnamed != (is != attempt.identity))
    fail("acquisition ", attempt.id, " of ", attempt.identity, " is granted by a node of ", is);
  if (action.turn != 0 && (by.is_renamed || by.identity != common_identity))
    fail("entry ", action.entry, " of ", by.identity, " is granted again");
  if (action.turn != 0 && attempt.identity != common_identity)
    fail("acquisition ", attempt.id, " of ", attempt.identity, " is granted a used entry");
  by.is_renamed = action.is_misnamed;
  by.identity = attempt.identity;
}

// A cached entry is granted as often as it is asked for, until another client wants the lock; and
// then once more to an acquisition that only waits for a proof of the session. So is an entry that
// is handed over while a watch is to tell when another client wants the lock.
void conduct::check_turn(requested_entry& by, const action& action) const {
  if (action.turn > plan::most_turns) fail("entry ", action.entry, " is granted too often");
  if (action.turn != 0 && by.is_requested)
    fail("entry ", action.entry, " is granted again, though its release was asked for");
  if (action.turn == 0 || !by.is_contended) return;
  if (by.turns_since++ >= plan_.handoffs + (caches_ ? 1 : 0))
    fail("entry ", action.entry, " is handed over more often than it may be");
}

// Readers that are let in together may hold by each other's entries: no writer is between them. An
// acquisition that came early enough for this entry, and holds by a later entry, is taken to hold
// by this entry.
void conduct::trade_entries(requested_entry& by, acquisition_id holder) {
  for (auto it = requested_.begin(); it != requested_.end() && by.asked < holder;) {
    requested_entry& other = (it++)->second;
    if (other.wants != role::shared || other.holder == 0 || other.holder > by.asked ||
        other.asked <= by.asked)
      continue;
    std::swap(other.asked, by.asked);
    it = requested_.begin();
  }
}

void conduct::check_downgraded(attempt& attempt, const action& action) {
  if (!attempt.downgrading || !attempt.held || !attempt.wants_something())
    fail("acquisition ", attempt.id, " is said to be downgraded, but did not ask");
  attempt.downgrading = false;
  const auto now = ensemble_.heir_of(attempt.node);
  const role is = ensemble_.at(now).wants;
  if (action.why == reason::none && is != role::shared)
    fail("acquisition ", attempt.id, " is said to read, but still writes");
  if (action.why != reason::none && plan_.weight(deed::deny) == 0)
    fail("acquisition ", attempt.id, " is said to write still: ", to_string(action.why));
}

void conduct::check_lose(const attempt& attempt, reason why) const {
  if (!attempt.held || attempt.released)
    fail("acquisition ", attempt.id, " loses what it does not hold");
  if (why == reason::session_expired && ensemble_.lives(session_))
    fail("acquisition ", attempt.id, " is lost to an expiry that never was");
  bool all_exist = ensemble_.truth().contains(ensemble_.heir_of(attempt.node));
  for (const auto permit : attempt.permits)
    all_exist &= ensemble_.truth().contains(permit);
  if (why == reason::entry_deleted && all_exist && !attempt.misled)
    fail("acquisition ", attempt.id, " is lost although its node exists");
}

void conduct::check_forget(attempt& attempt, const action& action) {
  ++uses_;
  if (attempt.wants_something())
    fail("acquisition ", attempt.id, " is forgotten, but still wanted");
  requested_entry* const by = find_requested(attempt.entry);
  if (!by || by->holder != attempt.id) return;
  // An entry that was not deleted goes to another acquisition.
  if (by->deletes == 0) {
    if (!passes_on() && ensemble_.lives(session_) && has_nodes(attempt.entry))
      fail("acquisition ", attempt.id, " is forgotten, but has a node");
    by->holder = 0;
  } else if (action.why == reason::none && ensemble_.lives(session_) && has_nodes(attempt.entry)) {
    fail("acquisition ", attempt.id, " is forgotten, but has a node");
  }
}

const char* to_string(reason why) noexcept {
  static constexpr const char* names[] = {"none",
                                          "busy",
                                          "budget_exhausted",
                                          "no_permission",
                                          "no_chroot",
                                          "parent_is_ephemeral",
                                          "exhausted",
                                          "too_many_permits",
                                          "bad_limit",
                                          "failed",
                                          "entry_deleted",
                                          "session_expired",
                                          "data_rolled_back"};
  return names[static_cast<std::size_t>(why)];
}

} // namespace simulation
