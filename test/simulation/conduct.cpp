#include "conduct.hpp"

#include "failure.hpp"

namespace simulation {

using kind = action::kind;

conduct::conduct(const ensemble& truth, std::size_t directory, const plan& plan)
    : ensemble_(truth), directory_(directory), plan_(plan) {}

attempt* conduct::find(entry_id id) noexcept {
  const auto it = attempts_.find(id);
  return it == attempts_.end() ? nullptr : &it->second;
}

void conduct::acquired(entry_id id, role wants, bool tries) {
  for (auto& [other, attempt] : attempts_)
    attempt.has_company = true;
  attempts_.emplace(id, attempt{.id = id,
                                .wants = wants,
                                .tries = tries,
                                .has_company = !attempts_.empty(),
                                .since = ensemble_.now()});
}

void conduct::connected(session_id session) noexcept {
  session_ = session;
  connected_ = true;
}

void conduct::disconnected() noexcept {
  connected_ = listing_ = making_parents_ = false;
  for (auto& [id, attempt] : attempts_)
    attempt.may_create |= !attempt.held;
}

node_id conduct::node_of(entry_id id) const {
  for (const auto child : ensemble_.truth().at(directory_).children)
    if (ensemble_.at(child).owner == session_ && ensemble_.at(child).entry == id) return child;
  return no_such_node;
}

void conduct::check(const action& action, bool proven) {
  if (is_request(action.what)) check_request(action);
  if (action.entry == 0) return;
  attempt* const found = find(action.entry);
  if (!found) fail(to_string(action.what), " names the unknown entry ", action.entry);
  attempt& attempt = *found;
  if (is_request(action.what) && action.wants != attempt.wants)
    fail(to_string(action.what), " mistakes what entry ", attempt.id, " wants");
  switch (action.what) {
  case kind::create:
    return check_create(attempt);
  case kind::remove:
    if (attempt.wants_something()) fail("entry ", attempt.id, " is deleted, but still wanted");
    if (attempt.number >= 0 && attempt.number != action.number)
      fail("entry ", attempt.id, " is deleted by a wrong number");
    attempt.was_found = attempt.number < 0;
    attempt.number = action.number;
    ++attempt.deletes;
    return;
  case kind::inspect:
    attempt.number = action.number;
    attempt.may_create = false;
    return;
  case kind::confirm:
    if (attempt.number != action.number)
      fail("entry ", attempt.id, " is to be confirmed by a wrong number");
    return;
  case kind::grant:
    return check_grant(attempt, action, proven);
  case kind::refuse:
    check_refuse(attempt, action.why);
    attempt.refused = true;
    return;
  case kind::lose:
    if (!attempt.held || attempt.released)
      fail("entry ", attempt.id, " loses what it does not hold");
    if (action.why == reason::session_expired && ensemble_.lives(session_))
      fail("entry ", attempt.id, " is lost to an expiry that never was");
    if (action.why == reason::entry_deleted && ensemble_.truth().contains(attempt.node))
      fail("entry ", attempt.id, " is lost although its node exists");
    attempt.refused = true;
    return;
  case kind::forget:
    ++uses_;
    return check_forget(attempt, action);
  default:
    return;
  }
}

void conduct::check_request(const action& action) {
  if (!connected_) fail(to_string(action.what), " is asked for without a connection");
  if (plan_.steady && uses_ >= 2 && action.what != kind::create && action.what != kind::remove)
    fail(to_string(action.what), " is asked for in a steady state");
  if (action.what == kind::list || action.what == kind::sync_and_list) {
    if (listing_) fail("two lists at a time");
    listing_ = true;
  }
  if (action.what == kind::make_parents) {
    if (making_parents_) fail("parents are made twice at a time");
    making_parents_ = true;
  }
  if (action.what == kind::remove_stray) {
    const auto found = ensemble_.truth().find(directory_, action.name);
    if (found == no_such_node) return;
    const node& stray = ensemble_.at(found);
    if (stray.owner != session_) fail(action.name, " is deleted, but is not ours");
    const attempt* const of = find(stray.entry);
    if (of && of->wants_something() && of->number == stray.number)
      fail(action.name, " is deleted as a stray, but wanted");
  }
}

void conduct::check_create(attempt& attempt) {
  // Whose node was deleted by hand may try again once that is known.
  const bool robbed = attempt.number >= 0 && node_of(attempt.id) == no_such_node;
  if (!attempt.may_create && !robbed) fail("entry ", attempt.id, " is created twice");
  if (!attempt.waits()) fail("entry ", attempt.id, " is created, but not wanted");
  if (!attempt.was_created)
    for (const auto& [id, other] : attempts_) {
      if (id >= attempt.id) break;
      if (other.waits() && !other.tries && !other.was_created)
        fail("entry ", attempt.id, " gets in line before entry ", id);
    }
  attempt.was_created = true;
  attempt.may_create = false;
  attempt.number = -1;
  if (unheld_nodes() > plan_.window) fail("more entries in line than the window allows");
}

std::size_t conduct::unheld_nodes() {
  std::size_t result = 0;
  for (const auto& [id, attempt] : attempts_)
    result += attempt.waits() &&
              ((!attempt.may_create && attempt.number < 0) || node_of(id) != no_such_node);
  return result;
}

void conduct::check_refuse(const attempt& attempt, reason why) const {
  if (!attempt.waits()) fail("entry ", attempt.id, " is refused, but does not wait");
  if (why == reason::sequence_exhausted) return;
  if (why == reason::no_room) {
    if (!attempt.tries || plan_.budget == plan::plenty)
      fail("entry ", attempt.id, " is refused for want of room");
    return;
  }
  if (why != reason::busy) {
    if (plan_.weight(deed::deny) == 0)
      fail("entry ", attempt.id, " is refused, but nothing was denied: ", to_string(why));
    return;
  }
  if (!attempt.tries)
    fail("entry ", attempt.id, " is refused since the lock is taken, but did not just try");
  // A server that lags behind may show who left long ago; a leader that is alone does not.
  if (plan_.servers == 1 && !attempt.has_company &&
      ensemble_.last_occupied(directory_) < attempt.since)
    fail("entry ", attempt.id, " is refused although the lock was free all the time");
}

void conduct::check_grant(attempt& attempt, const action& action, bool proven) {
  if (!attempt.waits()) fail("entry ", attempt.id, " is granted, but does not wait");
  if (!connected_) fail("entry ", attempt.id, " is granted without a connection");
  if (!proven) fail("entry ", attempt.id, " is granted by a session that is not proven");
  attempt.node = ensemble_.find_created(action.czxid);
  if (attempt.node == no_such_node) fail("entry ", attempt.id, " is granted by no node");
  const node& node = ensemble_.at(attempt.node);
  if (node.owner != session_ || node.entry != attempt.id || node.number != action.number ||
      node.directory != directory_)
    fail("entry ", attempt.id, " is granted by the node of another one");
  if (action.number > zklock::queue::last_number)
    fail("entry ", attempt.id, " is granted by a number that is too high");
  attempt.held = true;
  attempt.number = action.number;
}

void conduct::check_forget(const attempt& attempt, const action& action) const {
  if (attempt.wants_something()) fail("entry ", attempt.id, " is forgotten, but still wanted");
  if (action.why == reason::none && ensemble_.lives(session_) &&
      node_of(attempt.id) != no_such_node)
    fail("entry ", attempt.id, " is forgotten, but has a node");
}

bool is_request(action::kind what) noexcept {
  return what < kind::grant;
}

const char* to_string(action::kind what) noexcept {
  static constexpr const char* names[] = {
      "make_directory", "make_parents", "create",  "list",  "sync_and_list",
      "remove",         "remove_stray", "inspect", "watch", "watch_directory",
      "confirm",        "grant",        "refuse",  "lose",  "forget"};
  return names[static_cast<std::size_t>(what)];
}

const char* to_string(reason why) noexcept {
  static constexpr const char* names[] = {
      "none",      "busy",   "no_room",       "no_permission",  "no_chroot", "parent_is_ephemeral",
      "exhausted", "failed", "entry_deleted", "session_expired"};
  return names[static_cast<std::size_t>(why)];
}

} // namespace simulation
