// How permits replace the first in line, and what lists of the permits show.

#include "queue/lock_queue.hpp"

#include <string>
#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;
using request = scheduler::request;
using outcome = replacement::outcome;

void lock_queue::taken(event_context& context, entry_id id, answer result, bool no_entry,
                       std::int64_t czxid) {
  entry* const found = entries_.find(id);
  if (!found || !found->is_replacing()) return;
  entry& e = *found;
  const auto number = e.number;
  switch (e.replaced.answered(result, no_entry)) {
  case outcome::replaced:
    line_.erase(e);
    e.czxid = czxid;
    if (e.gives_back) entries_.requeue(e);
    if (e.gives_back || e.is == state::releasing)
      entries_.remove(context, e);
    else
      scheduler_.note_replaced(id);
    break;
  case outcome::lost:
    entries_.lose_node(context, e);
    entries_.lose_pin(context, number);
    break;
  case outcome::kept:
    // The directory of the permits is not there.
    if (result == answer::no_node) {
      entries_.back_in_line(context, e);
      return scheduler_.make_parents(context);
    }
    entries_.refuse(context, e, to_reason(result));
    entries_.end_permits(e);
    entries_.remove(context, e);
    break;
  }
  scheduler_.advance(context);
}

void lock_queue::permits_listed(event_context& context, answer result,
                                std::span<const std::string_view> names) {
  // Where there is no directory there is nothing to wait for: no other client makes it while an
  // entry of ours is the first.
  const bool readable = result == answer::ok || result == answer::no_node;
  permits_.list_answered(readable);
  if (!readable && !line_.is_recovering())
    return scheduler_.refuse_until(context, scheduler_.newest_at(request::permits),
                                   to_reason(result));
  // What may not be seen is taken for there: asking for it, or deleting it, shows.
  for (auto& [id, e] : entries_.all()) {
    e.replaced.hide();
    if (!readable) e.replaced.assume_shown();
  }
  std::size_t others = 0;
  for (const auto name : names) {
    const auto id = parse_permit(name, token_);
    entry* const e = id ? entries_.find(*id) : nullptr;
    if (!id)
      ++others;
    else if (e && e->permits() != 0)
      e->replaced.show();
    else
      orphans_.remove(context, std::string(name), true);
  }
  permits_.count_others(others);
  // The list of the entries, which follows, settles what a lost connection left open.
  if (line_.is_recovering()) return;
  std::vector<entry*> unseen;
  for (auto& [id, e] : entries_.all())
    if ((e.is == state::held || e.is == state::granting) && e.node().is_permit &&
        !e.replaced.is_all_shown())
      unseen.push_back(&e);
  for (entry* const e : unseen)
    missing_permit(context, *e);
  permits_.set_count_known(line_.is_first_ours());
  scheduler_.answer_tries_by_permits(context);
  scheduler_.advance(context);
}

void lock_queue::permits_changed(event_context& context) {
  permits_.watch_fired();
  scheduler_.advance(context);
}

void lock_queue::limited(event_context& context, answer result,
                         std::optional<std::uint32_t> value) {
  if (result != answer::ok) value.reset();
  const bool is_first = permits_.limit_answered(value);
  if (!value) {
    const bool is_read = result == answer::ok || result == answer::no_node;
    return scheduler_.refuse_until(context, scheduler_.newest_at(request::limit),
                                   is_read ? reason::bad_limit : to_reason(result));
  }
  if (is_first) scheduler_.refuse_above(context, *permits_.most());
  scheduler_.start_tries(context);
  scheduler_.advance(context);
}

void lock_queue::limit_changed(event_context& context) {
  if (!empty()) return scheduler_.ask_limit(context);
  permits_.forget_limit();
}

void lock_queue::missing_permit(event_context& context, entry& e) {
  if (e.is == state::held)
    entries_.lose(context, e, reason::entry_deleted);
  else
    entries_.requeue(e);
  // Some of several may be left.
  if (e.permits() > 1)
    entries_.remove(context, e);
  else
    entries_.forget(context, e);
}

// What a lost connection left open.
void lock_queue::settle_permits(event_context& context) {
  std::vector<entry*> open;
  for (auto& [id, e] : entries_.all())
    if (e.permits() != 0) open.push_back(&e);
  for (entry* const e : open)
    settle_permits(context, *e);
}

void lock_queue::settle_permits(event_context& context, entry& e) {
  bool leaves = e.is_leaving();
  if (e.is_replacing()) {
    // The entry is gone, and what replaces it is there; or it was deleted by others.
    line_.erase(e);
    const bool lost = e.replaced.listed(false) == outcome::lost || e.gives_back;
    if (lost) {
      entries_.requeue(e);
      entries_.give_back_behind(e.number);
    }
    leaves = lost || e.is == state::releasing;
    if (!leaves) e.is = state::inspecting;
  }
  if (leaves)
    return e.replaced.is_shown() ? entries_.remove(context, e) : entries_.forget(context, e);
  if (!e.replaced.is_all_shown()) return missing_permit(context, e);
  if (e.is == state::inspecting)
    context.actions.push_back({.what = kind::inspect_permit, .wants = e.wants, .entry = e.id});
}

} // namespace zklock::queue
