// What a list of the directory shows.

#include "queue/lock_queue.hpp"

#include <string>
#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;
using request = scheduler::request;

void lock_queue::listed(event_context& context, answer result,
                        std::span<const std::string_view> names, std::int64_t children_ever) {
  line_.list_answered();
  const bool recovers = line_.is_recovering();
  // Without it nothing tells what the lost connection left behind. What the list of permits would
  // have shown is asked for one by one.
  if (recovers && result == answer::failed) {
    relist_ = refused_ = true;
    return;
  }
  if (recovers) line_.end_recovery();
  if (result != answer::ok && result != answer::no_node) {
    // Without lists none can be sure to be the first.
    if (recovers) settle_unlisted(context);
    const bool failed = result == answer::failed;
    return scheduler_.refuse_until(context, scheduler_.newest_at(request::list),
                                   failed ? reason::failed : reason::no_permission);
  }
  if (result == answer::no_node) scheduler_.directory_gone();

  auto shown = line_.read(names, token_, children_ever);
  for (const auto& [parsed, name] : shown.own)
    settle_seen(context, parsed, name, recovers);
  line_.adopt(shown);
  const bool may_be_another = settle_unseen(context, recovers) || line_.is_pin_lost();
  if (recovers) settle_permits(context);
  line_.complete(shown);
  if (may_be_another) lose_overtaken(context);
  const auto& own = line_.own();
  if (!own.empty() && own.begin()->second->is_replacing()) permits_.set_count_known(false);
  scheduler_.lose_patience();
  scheduler_.answer_tries_by_line(context);
  scheduler_.advance(context);
}

// Without it nothing would tell that another client waits.
void lock_queue::children_listed(event_context& context, answer result,
                                 std::span<const std::string_view> names,
                                 std::int64_t children_ever) {
  cache_.answered(result == answer::ok);
  if (result == answer::ok || result == answer::no_node)
    return listed(context, result, names, children_ever);
  line_.list_answered();
  cache_.others_seen();
  drop_cached(context);
}

// The event of a change of ours comes before the answer to it. Any other is a conflict where we
// want the lock alone: a client that only tries may be gone before a list can show it, and its next
// try is to find the lock free. Readers do not mind other readers, so the list tells.
void lock_queue::children_changed(event_context& context) {
  const bool by_others = cache_.is_watched() && !is_changing_line();
  cache_.fired();
  if (!by_others || entries_.is_any(role::shared)) return scheduler_.advance(context);
  cache_.others_seen();
  drop_cached(context);
}

bool lock_queue::is_changing_line() const noexcept {
  return line_.is_creating() || entries_.is_any_leaving() || entries_.is_any_downgrading() ||
         !orphans_.empty();
}

void lock_queue::settle_seen(event_context& context, const entry_name& parsed,
                             std::string_view name, bool recovers) {
  entry* const e = entries_.find(parsed.id);
  if (!e) return orphans_.remove(context, std::string(name), false);
  e->seen = line_.list_order();
  if (recovers && e->replaced.is_done() && e->node() != form{.wants = parsed.wants})
    return entries_.undo_replacement(context, *e, parsed.wants);
  if (recovers) {
    if (e->is_downgrading()) settle_downgrade(context, *e, parsed.wants);
    if (e->is_leaving()) entries_.remove(context, *e);
    if (e->is_replacing()) entries_.back_in_line(context, *e);
  }
  if (e->is != state::unconfirmed && (e->is != state::abandoned || !recovers)) return;
  e->number = parsed.number;
  if (entries_.arrive(context, *e, state::inspecting))
    context.actions.push_back(
        {.what = kind::inspect, .wants = e->wants, .entry = e->id, .number = e->number});
}

// An entry that is not in the list, although it was created before that was asked for, has no node
// any more, or never had one.
// Returns whether others have deleted any, or may have.
bool lock_queue::settle_unseen(event_context& context, bool recovers) {
  const auto order = line_.list_order();
  std::vector<entry*> unseen;
  for (const auto& [number, e] : line_.own())
    if (e->permits() == 0 && e->sent < order && e->seen != order) unseen.push_back(e);
  if (recovers)
    for (auto& [id, e] : entries_.all())
      if (e.permits() == 0 && e.seen != order &&
          (e.is == state::unconfirmed || e.is == state::abandoned || e.is_leaving()))
        unseen.push_back(&e);

  bool any_in_line = false;
  for (entry* const e : unseen) {
    // Others may have deleted it before we did.
    const bool was_in_line = e->number >= 0;
    any_in_line |= was_in_line;
    if (recovers && was_in_line) entries_.give_back_behind(e->number);
    if (e->is == state::queued || e->is == state::cached || e->is == state::held ||
        e->is == state::inspecting) {
      entries_.lose_node(context, *e);
      continue;
    }
    if (!e->is_leaving()) entries_.vacate(context, *e);
    entries_.forget(context, *e);
  }
  return any_in_line;
}

// What holds had all before it known to be gone, and numbers are given out in rising order. Where
// others have deleted entries of ours, an entry may be before it all the same: the directory of
// before was deleted after that, and this one has just the numbers that follow. Otherwise such an
// entry was given its name by hand, and ends no hold.
void lock_queue::lose_overtaken(event_context& context) {
  std::vector<entry*> overtaken;
  for (const auto& [number, e] : line_.own())
    if (e->is == state::held && line_.is_overtaken(*e)) overtaken.push_back(e);
  for (entry* const e : overtaken) {
    entries_.lose(context, *e, reason::entry_deleted);
    entries_.remove(context, *e);
  }
}

// The list that was to settle what a lost connection left open was refused. What may be left of
// creates in flight goes with the session.
void lock_queue::settle_unlisted(event_context& context) {
  std::vector<entry*> open;
  for (auto& [id, e] : entries_.all())
    if (e.is == state::unconfirmed || e.is == state::abandoned || e.is_replacing() ||
        (e.is_leaving() && !e.is_downgrading()))
      open.push_back(&e);
  inspect_readers(context);
  for (auto& [id, e] : entries_.all())
    if (e.is == state::inspecting && e.permits() != 0)
      context.actions.push_back({.what = kind::inspect_permit, .wants = e.wants, .entry = e.id});
  scheduler_.grant_replaced(context);
  for (entry* const e : open) {
    if (e->is_leaving()) {
      entries_.remove(context, *e);
    } else if (e->is_replacing()) {
      // If it was replaced, the next list of permits shows orphans.
      entries_.requeue(*e);
      entries_.end_permits(*e);
      entries_.remove(context, *e);
    } else {
      entries_.vacate(context, *e);
      entries_.forget(context, *e);
    }
  }
}

} // namespace zklock::queue
