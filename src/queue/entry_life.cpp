#include "queue/entry_life.hpp"

#include <optional>
#include <utility>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

bool entry_life::arrive(event_context& context, entry& e, state is) {
  // The earlier entry with this number was in a directory that is gone.
  if (const auto it = line_.own().find(e.number); it != line_.own().end()) {
    // The list of permits shows whether the entry was replaced.
    if (it->second->is_replacing())
      line_.groups().erase(*it->second);
    else
      lose_node(context, *it->second);
  }
  // Entries of other clients may have been first meanwhile.
  if (line_.own().empty()) permits_.set_count_known(false);
  const bool counts = e.number >= 0 && e.number <= last_number;
  if (counts && e.is != state::abandoned) {
    entries_.set(e, is);
    line_.groups().insert(e);
    return true;
  }
  vacate(context, e, reason::sequence_exhausted);
  remove(context, e);
  return false;
}

void entry_life::found(entry& e, std::int64_t czxid) noexcept {
  entries_.set(e, e.permits() == 0 ? state::queued : state::granting);
  e.czxid = czxid;
}

void entry_life::reject(event_context& context, entry& e, reason why) {
  if (e.permits() == 0)
    vacate(context, e, why);
  else
    refuse(context, e, why);
  remove(context, e);
}

void entry_life::vacate(event_context& context, entry& e, reason why) {
  if (e.is_own()) return why == reason::none ? requeue(e) : refuse(context, e, why);
  if (!e.is_unassigned() || why == reason::none) return;
  if (const auto refused = demands_.take_last(e.wants, e.newest))
    context.actions.push_back({.what = kind::refuse, .why = why, .demand = *refused});
}

void entry_life::drop(event_context& context, entry& e) {
  vacate(context, e);
  if (e.is == state::queued || e.is == state::inspecting || e.is == state::cached)
    return remove(context, e);
  entries_.set(e, state::abandoned);
}

bool entry_life::withdraw(event_context& context, demand_id id) {
  if (const auto removed = demands_.remove(id); removed.found) {
    // An acquisition without an entry is younger than all entries: none is left over.
    if (removed.in_line) drop(context, *entries_.find(entries_.at(*removed.in_line).id));
    return true;
  }
  if (demands_.tries().take(id)) return true;
  entry* const e = entries_.find_assigned(id);
  if (!e) return false;
  entries_.change(*e, [&] { e->assigned = 0; });
  if (e->waits())
    drop(context, *e);
  else if (e->is_replacing())
    entries_.set(*e, state::releasing);
  else
    remove(context, *e);
  return true;
}

bool entry_life::shed(event_context& context) {
  bool any = false;
  for (const auto wants : {role::exclusive, role::shared}) {
    std::optional<sequence> end;
    while (!demands_.is_needed(wants)) {
      entry* const e = line_.groups().last_not_held(wants, end);
      if (!e) break;
      end = e->number;
      if (!e->is_unassigned()) continue;
      any = true;
      drop(context, *e);
    }
  }
  return any;
}

void entry_life::hold(event_context& context, entry& e) {
  const demand to = e.assigned != 0 ? demand{e.assigned, e.asked} : demands_.take_first(e.wants);
  // The entries shift where an entry is lost. Permits are created with the identity of their
  // acquisition.
  const bool is_misnamed = e.permits() == 0 && e.identity != to.asked.identity;
  if (is_misnamed) set_identity(e, to.asked.identity);
  entries_.change(e, [&] {
    e.is = state::held;
    e.assigned = 0;
    e.tries = false;
    e.has_holder = true;
  });
  if (line_.others().conflict(e.wants))
    cache_.others_seen();
  else if (e.turn == 0)
    cache_.used();
  if (reuse_.is_clear(e.wants)) e.handoffs = 0;
  context.actions.push_back({.what = kind::grant,
                             .wants = e.wants,
                             .entry = e.id,
                             .demand = to.id,
                             .number = e.number,
                             .czxid = e.czxid,
                             .turn = e.turn,
                             .permits = e.permits(),
                             .is_misnamed = is_misnamed});
  watch_data_of(context, e);
}

void entry_life::set_identity(entry& e, const identity_pointer& identity) noexcept {
  e.identity = identity;
  e.data = entry::node_data::changed;
}

void entry_life::lose(event_context& context, entry& e, reason why) {
  context.actions.push_back({.what = kind::lose, .why = why, .entry = e.id});
  e.has_holder = false;
}

void entry_life::release(event_context& context, entry& e, bool may_cache) {
  // An assigned entry may be ahead of the entries for the next acquisitions.
  if (entries_.is_any_own()) return remove(context, e);
  if (reuse_.can_hand_over(e)) return hand_over(context, e);
  if (!may_cache) cache_.not_wanted();
  if (!may_cache || !reuse_.can_cache(e)) return remove(context, e);
  context.actions.push_back({.what = kind::forget, .entry = e.id});
  cache(e);
  watch_data_of(context, e);
}

// The entry that was meant for the next acquisition stays as a spare entry, since a caller that
// releases a lock often comes again at once.
void entry_life::hand_over(event_context& context, entry& e) {
  context.actions.push_back({.what = kind::forget, .entry = e.id});
  e.has_holder = false;
  entries_.set(e, state::queued);
  ++e.turn;
  ++e.handoffs;
  demands_.add_spare(e.wants);
}

void entry_life::end_hand_overs(const entry& e) noexcept {
  if (e.turn != 0 && e.wants == role::exclusive) demands_.set_spare(e.wants, 0);
}

// No acquisition waits: the spare entries of hand-overs are not needed any more. Readers are not
// handed over.
void entry_life::cache(entry& e) noexcept {
  e.has_holder = false;
  entries_.set(e, state::cached);
  ++e.turn;
  if (e.wants == role::exclusive) demands_.set_spare(e.wants, 0);
  demands_.add_spare(e.wants);
}

void entry_life::evict(event_context& context) {
  for (const auto wants : {role::exclusive, role::shared})
    while (!line_.groups().cached(wants).empty())
      drop(context, *line_.groups().cached(wants).begin()->second);
}

void entry_life::watch_data(event_context& context) {
  for (const auto wants : {role::exclusive, role::shared})
    for (const auto* some : {&line_.groups().held(wants), &line_.groups().cached(wants)})
      for (const auto& [number, e] : *some)
        watch_data_once(context, *e);
}

void entry_life::watch_data_of(event_context& context, entry& e) {
  const bool may_be_cached = e.permits() == 0 && !line_.others().conflict(e.wants);
  if (may_be_cached && (cache_.is_arming() || cache_.is_watched())) watch_data_once(context, e);
}

// A reader's node that replaces a writer's node has data of its own.
void entry_life::watch_data_once(event_context& context, entry& e) {
  if (e.data != entry::node_data::unwatched || e.is_downgrading() || e.identity) return;
  e.data = entry::node_data::arming;
  context.actions.push_back(
      {.what = kind::watch_data, .wants = e.wants, .entry = e.id, .number = e.number});
}

// A hand-over that waits for a proof of the session is not granted either.
void entry_life::request_release(event_context& context, entry& e) {
  e.data = entry::node_data::changed;
  const bool is_handed_over = e.is == state::queued && e.turn != 0;
  if (e.is == state::cached || is_handed_over) drop(context, e);
}

void entry_life::begin_permits(entry& e) {
  if (e.assigned == 0) {
    const auto to = demands_.take_first(e.wants);
    entries_.change(e, [&] {
      e.assigned = to.id;
      e.asked = to.asked;
    });
  }
  entries_.change(e, [&] {
    e.is = state::granting;
    e.replaced.begin_permits(e.asked.permits);
  });
  permits_.take(e.asked.permits);
}

void entry_life::end_permits(entry& e) noexcept {
  permits_.returned(e.permits());
  entries_.change(e, [&] { e.replaced.reset(); });
  e.removes_permits = false;
}

void entry_life::back_in_line(event_context& context, entry& e) {
  const bool is_released = e.is == state::releasing;
  end_permits(e);
  entries_.set(e, state::queued);
  // An acquisition that came earlier may take the entry, unless this acquisition has the room.
  if (!is_released && !e.tries && !e.asked.has_room) requeue(e);
  if (is_released) remove(context, e);
}

void entry_life::requeue(entry& e) {
  if (e.is == state::releasing) return;
  demand to{.asked = e.asked};
  entries_.change(e, [&] { to.id = std::exchange(e.assigned, 0); });
  e.tries ? demands_.tries().add(to) : demands_.add_again(to);
}

void entry_life::refuse(event_context& context, entry& e, reason why) {
  if (e.is == state::releasing) return;
  entries_.change(e, [&] {
    context.actions.push_back(
        {.what = kind::refuse, .why = why, .demand = std::exchange(e.assigned, 0)});
  });
}

// The transactions of the entries behind were sent after the deleted entry had left the line, and
// their replies come after the reply that tells of the deletion: no such permits are granted yet.
void entry_life::remove_permits_behind(sequence number) noexcept {
  for (auto& [id, e] : entries_.all())
    if (e.is_replacing() && e.number > number) e.removes_permits = true;
}

void entry_life::remove(event_context& context, entry& e) {
  line_.groups().erase(e);
  if (!e.is_leaving()) permits_.returned(e.permits());
  entries_.set(e, state::removing);
  end_hand_overs(e);
  e.turn = 0;
  // Otherwise the delete is sent with the list of the recovery, or once the name of the node is
  // known.
  if (line_.channel().can_send() && !e.is_downgrading()) send_remove(context, e);
  line_.leave();
}

void entry_life::remove_refused(event_context& context) {
  for (auto& [id, e] : entries_.all())
    if (e.is == state::refused) send_remove(context, e);
}

void entry_life::send_remove(event_context& context, entry& e) {
  entries_.set(e, state::removing);
  context.actions.push_back({.what = e.permits() == 0 ? kind::remove : kind::remove_permits,
                             .wants = e.wants,
                             .entry = e.id,
                             .number = e.number,
                             .permits = e.permits()});
}

void entry_life::lose_node(event_context& context, entry& e) {
  line_.groups().erase(e);
  // Entries of other clients may have been first meanwhile, and have taken permits.
  permits_.set_count_known(false);
  if (e.is == state::held) {
    lose(context, e, reason::entry_deleted);
  } else if (e.is_replacing()) {
    requeue(e);
    end_permits(e);
  } else {
    vacate(context, e);
  }
  forget(context, e);
}

void entry_life::lose_permit(event_context& context, entry& e) {
  if (e.is == state::held)
    lose(context, e, reason::entry_deleted);
  else
    requeue(e);
  // Some of its permits may be left.
  e.permits() > 1 ? remove(context, e) : forget(context, e);
}

void entry_life::lose_pin(event_context& context, sequence number) {
  line_.pin_lost();
  evict(context);
  remove_permits_behind(number);
}

void entry_life::lose_line(event_context& context) {
  while (!line_.own().empty())
    lose_node(context, *line_.own().begin()->second);
  line_.forget();
}

void entry_life::undo_replacement(event_context& context, entry& e, role first) {
  if (!e.is_leaving()) {
    permits_.returned(e.permits());
    if (e.is == state::held)
      lose(context, e, reason::entry_deleted);
    else if (e.permits() != 0)
      requeue(e);
    else
      vacate(context, e);
  }
  line_.groups().erase(e);
  entries_.change(e, [&] {
    if (e.is == state::cached) e.is = state::queued;
    e.replaced.reset();
    e.wants = first;
  });
  remove(context, e);
}

void entry_life::forget(event_context& context, entry& e, reason why) {
  if (e.has_holder) context.actions.push_back({.what = kind::forget, .why = why, .entry = e.id});
  end_hand_overs(e);
  if (!e.is_leaving()) permits_.returned(e.permits());
  entries_.erase(e);
}

void entry_life::disconnected() noexcept {
  for (auto& [id, e] : entries_.all()) {
    e.ahead = entry::plan::none;
    if (!e.is_requested()) e.data = entry::node_data::unwatched;
    e.replaced.interrupt();
    // The list of the recovery shows whether the node is still there.
    if (e.is == state::refused) entries_.set(e, state::removing);
    if (e.is == state::inspecting && e.permits() == 0) {
      line_.groups().erase(e);
      entries_.set(e, state::unconfirmed);
    }
    if (e.is == state::creating) entries_.set(e, state::unconfirmed);
  }
}

void entry_life::expired(event_context& context, reason why) {
  while (!entries_.all().empty()) {
    entry& e = entries_.all().begin()->second;
    if (e.is == state::held) {
      lose(context, e, why);
    } else if (!e.is_leaving() && e.permits() != 0) {
      requeue(e);
      end_permits(e);
    } else if (!e.is_leaving()) {
      vacate(context, e);
    }
    forget(context, e);
  }
}

} // namespace zklock::queue
