// Checks the actions of a queue.

#include "conduct.hpp"

#include "failure.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

using action_kind = action::kind;

conduct::conduct(const ensemble& truth, std::size_t directory, std::size_t permits,
                 const plan& plan, bool caches)
    : ensemble_(truth),
      directory_(directory),
      permits_(permits),
      plan_(plan),
      caches_(caches),
      limit_(plan.limit) {}

attempt* conduct::find(acquisition_id id) noexcept {
  const auto it = attempts_.find(id);
  return it == attempts_.end() ? nullptr : &it->second;
}

requested_entry* conduct::find_requested(entry_id id) noexcept {
  const auto it = requested_.find(id);
  return it == requested_.end() ? nullptr : &it->second;
}

void conduct::acquired(acquisition_id id, zklock::queue::lock_mode asked, bool tries,
                       std::size_t caller) {
  last_acquisition_ = id;
  for (auto& [other, attempt] : attempts_)
    attempt.has_company = true;
  attempts_.emplace(id, attempt{.id = id,
                                .wants = asked.wants,
                                .tries = tries,
                                .caller = caller,
                                .wanted = asked.permits,
                                .has_company = !attempts_.empty() || unheld_entries() != 0,
                                .since = ensemble_.now(),
                                .identity = asked.identity ? *asked.identity : common_identity});
}

void conduct::released(attempt& attempt) noexcept {
  attempt.released = true;
  given_up_ += !attempt.held;
}

void conduct::renamed(attempt& attempt, std::string identity) {
  attempt.identity = std::move(identity);
  if (requested_entry* const by = find_requested(attempt.entry)) {
    by->identity = attempt.identity;
    by->is_renamed = true;
  }
}

void conduct::passes_permits(attempt& from, attempt& to) noexcept {
  std::swap(from.taking, to.taking);
  for (auto& [id, entry] : requested_)
    if (entry.taker == from.id) entry.taker = to.id;
}

void conduct::created(entry_id id, sequence number) {
  requested_entry& entry = requested_.at(id);
  entry.in_flight = false;
  entry.number = number;
}

void conduct::connected(session_id session) noexcept {
  if (session != session_) {
    requested_.clear();
    for (auto& [id, attempt] : attempts_)
      attempt.taking = false;
  }
  // The watch that told of other clients is lost.
  is_watching_ = false;
  if (!caches_)
    for (auto& [id, entry] : requested_)
      entry.is_contended = true;
  session_ = session;
  connected_ = true;
  settle_takes();
}

void conduct::check_downgrades() const {
  for (const auto& [id, attempt] : attempts_)
    if (attempt.downgrading && attempt.held && attempt.wants_something())
      fail("acquisition ", id, " waits for ever to become a reader");
}

node_id conduct::node_of(entry_id id) const {
  for (const auto child : ensemble_.truth().at(directory_).children)
    if (ensemble_.at(child).owner == session_ && ensemble_.at(child).entry == id) return child;
  return no_such_node;
}

bool conduct::stands(entry_id id) noexcept {
  const requested_entry* const found = find_requested(id);
  if (!found || found->deletes != 0 || found->left_behind || found->taking != 0) return false;
  const attempt* const holder = find(found->holder);
  return found->holder == 0 || (holder && holder->wants_something());
}

void conduct::check(const action& action, bool proven) {
  if (is_request(action.what)) return check_request(action);
  attempt* const found = find(action.acquisition);
  if (!found) fail(to_string(action.what), " names the unknown acquisition ", action.acquisition);
  attempt& attempt = *found;
  switch (action.what) {
  case action_kind::grant:
    return check_grant(attempt, action, proven);
  case action_kind::refuse:
    check_refuse(attempt, action.why);
    attempt.refused = true;
    ++given_up_;
    return;
  case action_kind::downgraded:
    return check_downgraded(attempt, action);
  case action_kind::lose:
    check_lose(attempt, action.why);
    attempt.refused = true;
    return;
  default:
    return check_forget(attempt, action);
  }
}

void conduct::check_request(const action& action) {
  if (!connected_) fail(to_string(action.what), " is asked for without a connection");
  if (plan_.steady && uses_ >= 2) check_steady(action);
  if (action.what == action_kind::list || action.what == action_kind::sync_and_list ||
      action.what == action_kind::list_and_watch) {
    if (listing_) fail("two lists at a time");
    listing_ = true;
    recovering_ = action.what == action_kind::sync_and_list;
  }
  if (action.what == action_kind::list_permits) {
    if (listing_permits_) fail("two lists of permits at a time");
    listing_permits_ = true;
  }
  if (action.what == action_kind::make_parents) {
    if (making_parents_) fail("parents are made twice at a time");
    making_parents_ = true;
  }
  if (action.what == action_kind::remove_orphan) return check_orphan(action);
  if (action.what == action_kind::remove_orphan_permit) return check_orphan_permit(action);
  if (action.what == action_kind::create) return check_create(action);
  if (action.entry == 0 || action.what == action_kind::inspect_permit) return;
  requested_entry* const found = find_requested(action.entry);
  if (!found) fail(to_string(action.what), " names the unknown entry ", action.entry);
  // A writer's node may have been replaced, and the answer be lost; only a list tells.
  const auto node = node_of(action.entry);
  const bool again = action.what == action_kind::downgrade || node == no_such_node;
  const bool asked = action.what == action_kind::inspect && found->holder != 0;
  const bool unclear = found->reader_removed || (again && found->may_read) || asked;
  const role wants = node == no_such_node ? found->wants : ensemble_.at(node).wants;
  if (action.wants != wants && !unclear)
    fail(to_string(action.what), " mistakes what entry ", action.entry, " wants");
  if (found->number >= 0 && found->number != action.number)
    fail(to_string(action.what), " names a wrong number of entry ", action.entry);
  if (action.what == action_kind::inspect) found->was_found = true;
  if (action.what == action_kind::downgrade) {
    found->may_read = true;
    if (action.identity != found->identity)
      fail("entry ", action.entry, " is downgraded with the identity ", action.identity);
  }
  if (action.what == action_kind::take) check_take(*found, action);
  if (action.what == action_kind::remove || action.what == action_kind::remove_permits)
    check_remove(*found, action);
  found->number = action.number;
}

void conduct::check_create(const action& action) {
  if (requested_.contains(action.entry)) fail("entry ", action.entry, " is created twice");
  requested_.emplace(action.entry, requested_entry{.wants = action.wants,
                                                   .is_contended = !caches_,
                                                   .identity = action.identity,
                                                   .asked = last_acquisition_});
  check_identity(action);
  std::size_t waiting = 0;
  std::size_t tries = 0;
  for (const auto& [id, attempt] : attempts_) {
    waiting += attempt.waits();
    tries += attempt.waits() && attempt.tries;
  }
  const auto in_flight = std::count_if(requested_.begin(), requested_.end(),
                                       [](const auto& each) { return each.second.in_flight; });
  // `in_flight` counts the new create, too.
  if (in_flight == 1) given_up_ = 0;
  const auto unheld = unheld_entries();
  if (!passes_on() && unheld > waiting + given_up_)
    fail("entry ", action.entry, " is created, but no acquisition needs it");
  // A try does not wait, so it needs no room among the acquisitions that do; an exclusive lock has
  // no entry in line when it is tried. An entry that is handed over had its room when it was
  // created.
  const auto back = static_cast<std::size_t>(
      std::count_if(requested_.begin(), requested_.end(), [](const auto& each) {
        const bool goes_on = each.second.turns != 0 && each.second.holder == 0;
        return (each.second.is_back || goes_on) && each.second.deletes == 0;
      }));
  const auto beside = plan_.kind == lock_kind::exclusive ? 0 : tries + given_up_ + back;
  if (unheld > plan_.window + beside) fail("more entries in line than the window allows");
}

void conduct::check_identity(const action& action) const {
  if (action.identity == common_identity) return;
  const bool is_wanted = std::any_of(attempts_.begin(), attempts_.end(), [&](const auto& each) {
    return each.second.waits() && each.second.identity == action.identity;
  });
  if (!is_wanted)
    fail("entry ", action.entry, " is created with the identity ", action.identity,
         " of no acquisition that waits");
}

std::size_t conduct::unheld_entries() const {
  std::size_t result = 0;
  for (const auto& [id, entry] : requested_)
    result += entry.holder == 0 && entry.taking == 0 && entry.deletes == 0 && !entry.left_behind &&
              (entry.in_flight || node_of(id) != no_such_node);
  return result;
}

void conduct::check_line(const zklock::queue::lock_queue& queue) const {
  if (!connected_ || recovering_) return;
  std::size_t unheld = 0;
  std::size_t wanted = 0;
  for (const auto& [number, entry] : queue.own()) {
    unheld += entry->is_unassigned();
    wanted += entry->turn;
  }
  for (const auto& [id, attempt] : attempts_)
    wanted += attempt.waits();
  if (unheld > wanted) fail(unheld, " are in line for ", wanted);
}

void conduct::check_cached(const zklock::queue::lock_queue& queue) const {
  for (const auto& [id, e] : queue.entries()) {
    const auto it = requested_.find(id);
    const bool is_requested = it != requested_.end() && it->second.is_requested;
    if (e.is == zklock::queue::entry::state::cached && is_requested)
      fail("entry ", id, " is cached, though its release was asked for");
    if (e.is == zklock::queue::entry::state::cached && it != requested_.end() &&
        (it->second.is_renamed || it->second.identity != common_identity))
      fail("entry ", id, " is cached, though its identity is ", it->second.identity);
  }
}

void conduct::check_remove(requested_entry& entry, const action& action) {
  const attempt* const holder = find(entry.holder);
  if (holder && holder->wants_something())
    fail("entry ", action.entry, " is deleted, but held by acquisition ", holder->id);
  if (entry.number < 0) entry.was_found = true;
  entry.in_flight = false;
  ++entry.deletes;
}

void conduct::check_orphan(const action& action) {
  const auto found = ensemble_.truth().find(directory_, action.name);
  if (found == no_such_node) return;
  const node& orphan = ensemble_.at(found);
  if (orphan.owner != session_) fail(action.name, " is deleted, but is not ours");
  requested_entry* const of = find_requested(orphan.entry);
  const attempt* const holder = of ? find(of->holder) : nullptr;
  if (holder && holder->wants_something() && of->number == orphan.number)
    fail(action.name, " is deleted as an orphan, but held");
  if (of && of->may_read) of->reader_removed = true;
}

bool is_request(action::kind what) noexcept {
  return what < action_kind::grant;
}

const char* to_string(action::kind what) noexcept {
  static constexpr const char* names[] = {
      "make_directory", "make_parents",   "create",          "list",
      "sync_and_list",  "list_and_watch", "remove",          "remove_orphan",
      "downgrade",      "take",           "remove_permits",  "remove_orphan_permit",
      "list_permits",   "inspect_permit", "ask_limit",       "inspect",
      "watch",          "watch_data",     "watch_directory", "confirm",
      "check",          "grant",          "refuse",          "downgraded",
      "lose",           "forget"};
  return names[static_cast<std::size_t>(what)];
}

} // namespace simulation
