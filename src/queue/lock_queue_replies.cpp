// What the servers answer, and what other clients do.

#include "queue/lock_queue.hpp"

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;
using request = scheduler::request;

void lock_queue::directory_made(event_context& context, answer result) {
  const bool ok = result == answer::ok;
  scheduler_.parents_made(ok);
  if (!ok)
    return scheduler_.refuse_until(context, scheduler_.newest_at(request::parents),
                                   to_reason(result));
  scheduler_.advance(context);
}

void lock_queue::created(event_context& context, entry_id id, answer result, sequence number,
                         std::int64_t czxid) {
  entry& e = *entries_.find(id);
  line_.create_answered(e.wants);

  if (result == answer::no_node) {
    // The directory is not there, or is there no more. The create that follows is the same use.
    scheduler_.create_refused();
    scheduler_.directory_gone();
    line_.directory_watch_fired();
    entries_.vacate(context, e);
    entries_.forget(context, e);
    entries_.lose_line(context);
    return scheduler_.make_parents(context);
  }
  if (result != answer::ok) {
    // After a create that was undone, the acquisition waits for the next one.
    entries_.vacate(context, e, to_reason(result));
    entries_.forget(context, e);
    line_.forget_unless_pinned();
    return scheduler_.advance(context);
  }

  e.number = number;
  e.czxid = czxid;
  if (line_.is_renumbered(number)) entries_.lose_line(context);
  line_.number_given(number);
  if (line_.has_met_gap()) cache_.others_seen();
  entries_.arrive(context, e, state::queued);
  scheduler_.advance(context);
}

void lock_queue::found(entry& e, std::int64_t czxid) {
  entries_.found(e, czxid);
  if (e.is == state::granting) scheduler_.note_replaced(e.id);
}

void lock_queue::inspected(event_context& context, entry_id id, answer result, std::int64_t czxid) {
  entry* const e = entries_.find(id);
  if (e && e->replaced.is() == replacement::state::inspecting)
    return settle_downgrade(context, *e, result);
  if (!e || e->is != state::inspecting) return;
  if (result == answer::no_node) return missing(context, id, e->node());
  if (result == answer::ok)
    found(*e, czxid);
  else
    entries_.reject(context, *e, to_reason(result));
  scheduler_.advance(context);
}

// An entry that we delete was there until then, and has kept the directory. Where the delete is
// refused, the next delete tells whether the node was there; without permission, the node stays
// without an entry. A delete cannot tell of permits: none are taken before a list.
void lock_queue::removed(event_context& context, entry_id id, answer result) {
  entry& e = *entries_.find(id);
  if (result == answer::undone) return entries_.remove(context, e);
  const auto number = e.number;
  const bool was_in_line = e.permits() == 0;
  if (may_be_deleted_later(result)) {
    entries_.removal_refused(e);
    refused_ = true;
    if (!was_in_line || !settings_.policy.holds_by_permits()) return;
  } else {
    const bool gone = result == answer::ok || result == answer::no_node;
    has_late_writes_ |= !gone;
    entries_.forget(context, e, gone ? reason::none : to_reason(result));
    if (result == answer::ok || !was_in_line) return scheduler_.fill(context);
  }
  entries_.lose_pin(context, number);
  scheduler_.advance(context);
}

void lock_queue::orphan_removed(event_context&, std::string_view name, answer result) {
  has_late_writes_ |= result == answer::no_permission;
  if (orphans_.removed(name, result)) refused_ = true;
}

void lock_queue::watched(event_context& context, std::string_view name, answer result) {
  if (result == answer::ok) return;
  if (result == answer::no_node) return entry_changed(context, name, true);
  // Those that come later must try again.
  line_.entry_unwatched(name);
  scheduler_.refuse_until(context, waiters_.newest(), to_reason(result));
}

// Whether another client has asked for the release is not known where the answer is an error.
void lock_queue::data_watched(event_context& context, entry_id id, answer result, bool changed) {
  entry* const e = entries_.find(id);
  if (!e || e->data != entry::node_data::asked) return;
  if (result != answer::ok || changed) return request_release(context, *e);
  e->data = entry::node_data::watched;
  scheduler_.advance(context);
}

void lock_queue::request_release(event_context& context, entry& e) {
  const auto begin = context.actions.size();
  entries_.request_release(context, e);
  scheduler_.advance(context);
  check_granted(context, begin);
}

// The deletion of a node of ours shows at other requests.
bool lock_queue::own_changed(event_context& context, std::string_view name, bool deleted) {
  const auto parsed = parse_entry_name(name);
  if (!parsed || !parsed->has_id || parsed->token != token_) return false;
  entry* const e = entries_.find(parsed->id);
  if (!deleted && e && !e->is_requested()) request_release(context, *e);
  return true;
}

void lock_queue::entry_changed(event_context& context, std::string_view name, bool deleted) {
  if (own_changed(context, name, deleted)) return;
  if (deleted) {
    const auto change = line_.entry_gone(name);
    if (change == line::change::none) return;
    // An entry behind one of ours that was deleted by others may have taken permits.
    if (change == line::change::gone) permits_.set_count_known(false);
  } else {
    if (!line_.entry_unwatched(name)) return;
    line_.plan_again();
  }
  scheduler_.advance(context);
}

void lock_queue::directory_watched(event_context& context, answer result) {
  if (line_.directory_watch_answered(result == answer::ok)) scheduler_.advance(context);
}

void lock_queue::directory_changed(event_context& context, bool deleted) {
  line_.directory_watch_fired();
  if (deleted) {
    // The watch on its children is gone with it.
    cache_.fired();
    scheduler_.directory_gone();
    entries_.lose_line(context);
  } else {
    line_.forget_unless_pinned();
  }
  scheduler_.advance(context);
}

void lock_queue::missing(event_context& context, entry_id id, form node) {
  entry* const e = entries_.find(id);
  if (!e || e->is_leaving() || e->node() != node) return;
  if (node.is_permit) {
    missing_permit(context, *e);
    return scheduler_.advance(context);
  }
  // The answer that is on its way tells, or the list of the recovery: permits may have replaced it.
  if (e->is_downgrading() || (e->is_replacing() && line_.is_recovering())) return;
  if (!line_.own().contains(e->number)) return;
  const auto number = e->number;
  entries_.lose_node(context, *e);
  entries_.lose_pin(context, number);
  scheduler_.advance(context);
}

void lock_queue::confirmed(event_context& context) {
  const auto begin = context.actions.size();
  const entry_id known = scheduler_.end_confirm();
  scheduler_.advance(context);
  // Others than the one that was asked for may hold, too.
  check_granted(context, begin, known);
}

} // namespace zklock::queue
