// Checks the requests that drivers send.

#include "client.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

using action_kind = action::kind;
using write_kind = zklock::zookeeper::write::kind;

void client::give(request sent) {
  ++requests_;
  if (world_.plan.steady) world_.statistics.count(seen::steady_request);
  our_lock& lock = lock_of(sent);
  const bool by_driver = sent.to == &*lock.driver;
  if (by_driver) {
    const zklock::queue::action& of = lock.driver->requests().in_flight().back().action;
    sent.tag = {static_cast<int>(of.what), of.entry};
    sent.entry = of.entry;
    note_sent(lock, sent);
  }
  const bool creates = sent.what == request::kind::create;
  connection_.sent.push_back(std::move(sent));
  if (creates) check_budget();
}

// The acquisition for which an entry takes permits. The entries of a demand take permits in the
// order of its acquisitions.
acquisition_id client::taker_of(const our_lock& lock, const zklock::queue::entry& of) {
  if (of.assigned == 0) return 0;
  auto before = std::count_if(
      lock.driver->state().entries().begin(), lock.driver->state().entries().find(of.id),
      [&](const auto& each) { return each.second.assigned == of.assigned; });
  for (const auto& [id, each] : lock.members)
    if (each->ticket() == of.assigned && before-- == 0) return id;
  return 0;
}

// The action of the queue that the request is made of.
action client::action_of(our_lock& lock, const request& sent) const {
  action made{.what = static_cast<action_kind>(sent.tag.what), .entry = sent.tag.which};
  const std::string& name = sent.parts.empty() ? sent.name : sent.parts.back().name;
  switch (made.what) {
  case action_kind::create:
    made.wants = sent.wants;
    made.identity = sent.identity;
    return made;
  case action_kind::remove_orphan:
  case action_kind::remove_orphan_permit:
    made.name = sent.name;
    return made;
  default:
    break;
  }
  if (made.entry == 0) return made;
  // The names of permits do not show the mode of their entry.
  const auto& entries = lock.driver->state().entries();
  if (const auto it = entries.find(made.entry); it != entries.end()) {
    made.acquisition = taker_of(lock, it->second);
    made.wants = it->second.wants;
    made.number = it->second.number;
    made.permits = it->second.permits();
  }
  const bool replaces = made.what == action_kind::take || made.what == action_kind::downgrade;
  if (replaces) made.identity = sent.parts[1].identity;
  const auto parsed = zklock::queue::parse_entry_name(replaces ? sent.parts.front().name : name);
  if (parsed && parsed->has_id && sent.directory == lock.directory) {
    if (parsed->id != made.entry || parsed->token != requester_.token())
      fail(name_, " sends ", name, " for entry ", made.entry);
    made.wants = world_.policy.seen_as(parsed->wants);
    made.number = parsed->number;
  }
  if (made.what == action_kind::take)
    made.permits = static_cast<std::uint32_t>(
        std::count_if(sent.parts.begin(), sent.parts.end(),
                      [](const part& each) { return each.what == write_kind::create; }));
  return made;
}

void client::note_sent(our_lock& lock, const request& sent) {
  const auto action = action_of(lock, sent);
  world_.trace(name_, " queue ", lock.directory, ":   ", to_string(action.what), " entry ",
               action.entry, ' ', sent.name);
  // Of the requests of an action only the first is checked.
  if (action.what == action_kind::remove_permits) {
    std::string first;
    zklock::queue::append_permit(first, requester_.token(), action.entry, 0);
    if (sent.name != first) return;
  }
  if (action.what == action_kind::make_directory && sent.directory != lock.directory) return;
  lock.conduct.check(action, false);
  if (action.what == action_kind::remove_orphan || action.what == action_kind::remove_orphan_permit)
    note_orphan(sent);
  if (action.what == action_kind::take) note_take(lock, action);
  count_sent(lock, action);
}

void client::count_sent(our_lock& lock, const action& action) {
  const auto count = [this](seen what) { world_.statistics.count(what); };
  switch (action.what) {
  case action_kind::make_parents:
    if (!climbing_) count(seen::parents_made);
    return;
  case action_kind::sync_and_list:
    return count(seen::recovery);
  case action_kind::list:
    return count(seen::list);
  case action_kind::list_and_watch:
    return count(seen::list_of_the_cache);
  case action_kind::remove: {
    const requested_entry& of = *lock.conduct.find_requested(action.entry);
    if (of.deletes > 1) count(seen::delete_sent_again);
    if (of.holder == 0) count(of.was_found ? seen::abandoned_adoption : seen::shed);
    return;
  }
  case action_kind::remove_permits:
    if (lock.conduct.find_requested(action.entry)->holder == 0)
      count(seen::permits_given_back_untold);
    return;
  case action_kind::remove_orphan:
    return count(seen::orphan);
  case action_kind::remove_orphan_permit:
    return count(seen::orphan_permit);
  case action_kind::inspect:
    return count(seen::adoption);
  case action_kind::inspect_permit:
    return count(seen::permits_adopted);
  case action_kind::watch:
    return count(seen::watch);
  case action_kind::confirm:
    return count(seen::confirmation);
  case action_kind::list_permits:
    return count(seen::list_of_permits);
  case action_kind::take:
    return count(action.permits > 1 ? seen::several_taken : seen::taken);
  default:
    return;
  }
}

void client::note_take(our_lock& lock, const action& action) {
  const auto in_line = lock.conduct.node_of(action.entry);
  if (in_line == no_such_node) return;
  const auto stands = [&](entry_id id) { return lock.conduct.stands(id); };
  const bool is_first = world_.referee.is_first(in_line, stands);
  if (!is_first && !lock.misled)
    fail("entry ", action.entry, " of ", name_, " takes permits, and is not the first in line");
  world_.ensemble.note_misled(session(), action.entry, !is_first);
}

void client::note_orphan(const request& sent) {
  const auto found = world_.ensemble.truth().find(sent.directory, sent.name);
  if (found != no_such_node) orphans_.insert(found);
}

} // namespace simulation
