#include "queue/server_events.hpp"

#include <string>
#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;
using request = lock_requests::request;
using outcome = replacement::outcome;

void server_events::directory_made(event_context& context, answer result) {
  auto& requests = scheduler_.requests();
  requests.parents_made(result == answer::ok);
  if (result == answer::ok) return scheduler_.advance(context);
  scheduler_.refuse_until(context, requests.newest_at(request::parents), to_reason(result));
}

void server_events::created(event_context& context, entry_id id, answer result, sequence number,
                            std::int64_t czxid) {
  entry& e = *entries_.find(id);
  line_.channel().create_answered(e.wants);

  if (result == answer::no_node) {
    // The directory does not exist, or no longer. The next create serves this use.
    scheduler_.requests().create_refused();
    scheduler_.requests().directory_gone();
    line_.directory_watch_fired();
    life_.vacate(context, e);
    life_.forget(context, e);
    life_.lose_line(context);
    return scheduler_.requests().make_parents(context);
  }
  if (result != answer::ok) {
    // After a create that was undone, the acquisition waits for the next create.
    life_.vacate(context, e, to_reason(result));
    life_.forget(context, e);
    line_.forget_unless_pinned();
    return scheduler_.advance(context);
  }

  e.number = number;
  e.czxid = czxid;
  if (line_.is_renumbered(number)) renumbered(context, number);
  line_.number_given(number);
  if (line_.has_met_gap()) cache_.others_seen();
  life_.arrive(context, e, state::queued);
  scheduler_.advance(context);
}

// An entry of ours with a higher number was in a directory that is gone, and so were all entries of
// ours. Where only a list has shown a higher number, an entry of ours that is there after all must
// not be forgotten: the next list tells.
void server_events::renumbered(event_context& context, sequence number) {
  const auto& own = line_.own();
  if (own.empty() || number <= own.rbegin()->first)
    life_.lose_line(context);
  else
    life_.lose_pin(context, number);
}

void server_events::listed(event_context& context, answer result,
                           std::span<const std::string_view> names, std::int64_t children_ever) {
  line_.channel().list_answered();
  const bool recovers = line_.channel().is_recovering();
  // Only this list tells the outcomes of the lost connection's requests, so it is retried. The
  // outcomes that the list of the permits would have shown are inspected singly.
  if (recovers && may_succeed_later(result)) return unfinished_.list_refused();
  if (recovers) line_.channel().end_recovery();
  if (result != answer::ok && result != answer::no_node) {
    // Without lists no entry is known to be the first.
    if (recovers) {
      scheduler_.grant_replaced(context);
      reconciler_.not_listed(context);
    }
    const bool failed = may_succeed_later(result);
    return scheduler_.refuse_until(context, scheduler_.requests().newest_at(request::list),
                                   failed ? reason::failed : reason::no_permission);
  }
  if (result == answer::no_node) scheduler_.requests().directory_gone();

  reconciler_.listed(context, names, children_ever, recovers);
  const auto& own = line_.own();
  if (!own.empty() && own.begin()->second->is_replacing()) permits_.set_count_known(false);
  scheduler_.tries().lose_patience();
  scheduler_.tries().answer_by_line(context);
  scheduler_.advance(context);
}

// Without the watch, nothing would tell that another client waits.
void server_events::children_listed(event_context& context, answer result,
                                    std::span<const std::string_view> names,
                                    std::int64_t children_ever) {
  cache_.answered(result == answer::ok);
  if (result == answer::ok || result == answer::no_node)
    return listed(context, result, names, children_ever);
  line_.channel().list_answered();
  cache_.others_seen();
  scheduler_.evict(context);
}

// An entry that this client deletes was there until then, and has kept the directory. Where the
// delete is refused, the next delete tells whether the node was there; without permission, the node
// stays without an entry. A delete cannot tell of permits: none are taken before a list.
void server_events::removed(event_context& context, entry_id id, answer result) {
  entry& e = *entries_.find(id);
  if (result == answer::undone) return life_.remove(context, e);
  const auto number = e.number;
  const bool by_permits = line_.policy().holds_by_permits();
  const bool was_in_line = e.permits() == 0;
  if (may_succeed_later(result)) {
    entries_.set(e, state::refused);
    unfinished_.refused();
    if (!was_in_line || !by_permits) return;
  } else {
    const bool gone = result == answer::ok || result == answer::no_node;
    if (!gone) unfinished_.expect_late_writes();
    life_.forget(context, e, gone ? reason::none : to_reason(result));
    // The first in line may wait for the room of permits.
    if (result == answer::ok || !was_in_line)
      return by_permits ? scheduler_.advance(context) : scheduler_.fill(context);
  }
  life_.lose_pin(context, number);
  scheduler_.advance(context);
}

void server_events::orphan_removed(std::string_view name, answer result) {
  if (result == answer::no_permission) unfinished_.expect_late_writes();
  if (orphans_.removed(name, result)) unfinished_.refused();
}

void server_events::inspected(event_context& context, entry_id id, answer result,
                              std::int64_t czxid) {
  entry* const e = entries_.find(id);
  if (!e) return;
  if (e->replaced.is() == replacement::state::inspecting) {
    if (may_succeed_later(result)) return unfinished_.refused();
    return end_downgrade(context, *e, downgrades_.inspected(context, *e, result));
  }
  if (e->is != state::inspecting) return;
  if (result == answer::no_node) return missing(context, id, e->node());
  if (result == answer::ok) {
    life_.found(*e, czxid);
    if (e->is == state::granting) permits_.note_replaced(id);
  } else {
    life_.reject(context, *e, to_reason(result));
  }
  scheduler_.advance(context);
}

// Acquisitions that come later must try again.
void server_events::watched(event_context& context, std::string_view name, answer result) {
  if (result == answer::ok) return;
  if (result == answer::no_node) return entry_changed(context, name, true);
  line_.entry_unwatched(name);
  scheduler_.refuse_all(context, to_reason(result));
}

void server_events::directory_watched(event_context& context, answer result) {
  if (line_.directory_watch_answered(result == answer::ok)) scheduler_.advance(context);
}

// After an error it is not known whether another client has requested the release.
void server_events::data_watched(event_context& context, entry_id id, answer result, bool changed) {
  entry* const e = entries_.find(id);
  if (!e || e->data != entry::node_data::arming) return;
  if (result != answer::ok || changed) return request_release(context, *e);
  e->data = entry::node_data::watched;
  scheduler_.advance(context);
}

void server_events::downgraded(event_context& context, entry_id id, answer result) {
  entry* const e = entries_.find(id);
  if (e && e->is_downgrading()) end_downgrade(context, *e, downgrades_.end(context, *e, result));
}

void server_events::end_downgrade(event_context& context, entry& e, bool is_missing) {
  const auto begin = context.actions.size();
  is_missing ? missing(context, e.id, e.node()) : scheduler_.advance(context);
  check_granted(context, begin);
}

void server_events::taken(event_context& context, entry_id id, answer result, bool no_entry,
                          std::int64_t czxid) {
  entry* const found = entries_.find(id);
  if (!found || !found->is_replacing()) return;
  entry& e = *found;
  const auto number = e.number;
  switch (e.replaced.answered(result, no_entry)) {
  case outcome::replaced:
    line_.groups().erase(e);
    e.czxid = czxid;
    if (e.removes_permits) life_.requeue(e);
    if (e.removes_permits || e.is == state::releasing)
      life_.remove(context, e);
    else
      permits_.note_replaced(id);
    break;
  case outcome::lost:
    life_.lose_node(context, e);
    life_.lose_pin(context, number);
    break;
  case outcome::unchanged:
    // The directory of the permits does not exist.
    if (result == answer::no_node) {
      life_.back_in_line(context, e);
      return scheduler_.requests().make_parents(context);
    }
    life_.refuse(context, e, to_reason(result));
    life_.end_permits(e);
    life_.remove(context, e);
    break;
  }
  scheduler_.advance(context);
}

// Without a directory there is nothing to wait for: no other client creates the directory while an
// entry of ours is the first in line.
void server_events::permits_listed(event_context& context, answer result,
                                   std::span<const std::string_view> names) {
  const bool readable = result == answer::ok || result == answer::no_node;
  permits_.list_answered(readable);
  if (!readable && !line_.channel().is_recovering())
    return scheduler_.refuse_until(context, scheduler_.requests().newest_at(request::permits),
                                   to_reason(result));
  // Permits that may not be listed are taken to exist: an inspection or a delete shows.
  for (auto& [id, e] : entries_.all()) {
    e.replaced.hide();
    if (!readable) e.replaced.assume_shown();
  }
  std::size_t others = 0;
  for (const auto name : names) {
    const auto id = parse_permit(name, line_.channel().token());
    entry* const e = id ? entries_.find(*id) : nullptr;
    if (!id)
      ++others;
    else if (e && e->permits() != 0)
      e->replaced.show();
    else
      orphans_.remove(context, std::string(name), true);
  }
  permits_.count_others(others);
  // The list of the entries, which follows, settles the requests of the lost connection.
  if (line_.channel().is_recovering()) return;
  std::vector<entry*> unseen;
  for (auto& [id, e] : entries_.all())
    if ((e.is == state::held || e.is == state::granting) && e.node().is_permit &&
        !e.replaced.is_all_shown())
      unseen.push_back(&e);
  for (entry* const e : unseen)
    life_.lose_permit(context, *e);
  permits_.set_count_known(line_.is_first_ours());
  scheduler_.tries().answer_by_permits(context);
  scheduler_.advance(context);
}

void server_events::limited(event_context& context, answer result,
                            std::optional<std::uint32_t> value) {
  if (result != answer::ok) value.reset();
  const bool is_first = permits_.limit_answered(value);
  if (!value) {
    const bool is_read = result == answer::ok || result == answer::no_node;
    return scheduler_.refuse_until(context, scheduler_.requests().newest_at(request::limit),
                                   is_read ? reason::bad_limit : to_reason(result));
  }
  if (is_first) scheduler_.refuse_above(context, *permits_.most());
  scheduler_.tries().start(context);
  scheduler_.advance(context);
}

// Entries besides the confirmed entry may be granted, too.
void server_events::confirmed(event_context& context) {
  const auto begin = context.actions.size();
  const entry_id known = scheduler_.requests().end_confirm();
  scheduler_.advance(context);
  check_granted(context, begin, known);
}

void server_events::entry_changed(event_context& context, std::string_view name, bool deleted) {
  if (own_changed(context, name, deleted)) return;
  if (deleted) {
    const auto change = line_.entry_gone(name);
    if (change == line::change::none) return;
    // An entry behind an entry of ours that was deleted by other clients may have taken permits.
    if (change == line::change::gone) permits_.set_count_known(false);
  } else {
    if (!line_.entry_unwatched(name)) return;
    line_.plan_again();
  }
  scheduler_.advance(context);
}

// The deletion of a node of ours shows in the replies to other requests.
bool server_events::own_changed(event_context& context, std::string_view name, bool deleted) {
  const auto parsed = parse_entry_name(name);
  if (!parsed || !parsed->has_id || parsed->token != line_.channel().token()) return false;
  entry* const e = entries_.find(parsed->id);
  if (!deleted && e && !e->is_requested()) request_release(context, *e);
  return true;
}

void server_events::request_release(event_context& context, entry& e) {
  const auto begin = context.actions.size();
  life_.request_release(context, e);
  scheduler_.advance(context);
  check_granted(context, begin);
}

void server_events::directory_changed(event_context& context, bool deleted) {
  line_.directory_watch_fired();
  if (deleted) {
    // The watch on the children of the directory is gone with the directory.
    cache_.fired();
    scheduler_.requests().directory_gone();
    life_.lose_line(context);
  } else {
    line_.forget_unless_pinned();
  }
  scheduler_.advance(context);
}

// The event of a change by this client comes before the reply to the change. A change by another
// client is a conflict where this client wants the lock alone: a client that only tries may be gone
// before a list can show its entry, and its next try is to find the lock free. Readers do not mind
// other readers, so the list tells.
void server_events::children_changed(event_context& context) {
  const bool by_others = cache_.is_watched() && !is_changing_line();
  cache_.fired();
  if (!by_others || entries_.is_any(role::shared)) return scheduler_.advance(context);
  cache_.others_seen();
  scheduler_.evict(context);
}

bool server_events::is_changing_line() const noexcept {
  return line_.channel().is_creating() || entries_.is_any_leaving() ||
         entries_.is_any_downgrading() || !orphans_.empty();
}

void server_events::missing(event_context& context, entry_id id, form node) {
  entry* const e = entries_.find(id);
  if (!e || e->is_leaving() || e->node() != node) return;
  if (node.is_permit) {
    life_.lose_permit(context, *e);
    return scheduler_.advance(context);
  }
  // The reply in flight tells, or the list of the recovery: permits may have replaced the entry.
  if (e->is_downgrading() || (e->is_replacing() && line_.channel().is_recovering())) return;
  if (!line_.own().contains(e->number)) return;
  const auto number = e->number;
  life_.lose_node(context, *e);
  life_.lose_pin(context, number);
  scheduler_.advance(context);
}

void server_events::permits_changed(event_context& context) {
  permits_.watch_fired();
  scheduler_.advance(context);
}

void server_events::limit_changed(event_context& context) {
  if (!scheduler_.is_idle() || !orphans_.empty()) return scheduler_.requests().ask_limit(context);
  permits_.forget_limit();
}

} // namespace zklock::queue
