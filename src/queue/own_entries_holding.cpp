// What becomes of an entry when its turn has come, and in the end.

#include "queue/own_entries.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

void own_entries::hold(event_context& context, entry& e) {
  if (e.acquisition == 0)
    waiters_.assign(e);
  else
    waiters_.stop_trying(e.acquisition);
  leave_cache(e);
  e.is = state::held;
  line_.regroup(e);
  if (line_.has_others(e.wants))
    cache_.others_seen();
  else if (e.turn == 0)
    cache_.used();
  if (reuse_.is_clear(e.wants)) e.handoffs = 0;
  context.actions.push_back({.what = kind::grant,
                             .wants = e.wants,
                             .entry = e.id,
                             .acquisition = e.acquisition,
                             .number = e.number,
                             .czxid = e.czxid,
                             .turn = e.turn,
                             .permits = e.permits()});
  watch_data_of(context, e);
}

void own_entries::lose(event_context& context, entry& e, reason why) {
  context.actions.push_back({.what = kind::lose, .why = why, .acquisition = e.acquisition});
  waiters_.unassign(std::exchange(e.acquisition, 0));
}

bool own_entries::release(event_context& context, entry& e, bool may_keep) {
  waiters_.unassign(e.acquisition);
  if (e.is_replacing()) {
    e.is = state::releasing;
    return false;
  }
  if (reuse_.can_hand_over(e))
    hand_over(context, e);
  else if (may_keep && reuse_.can_keep(e))
    keep(context, e);
  else
    remove(context, e);
  return true;
}

// The entry that was meant for the next acquisition is kept, since one that gives a lock back often
// comes again at once.
void own_entries::hand_over(event_context& context, entry& e) {
  context.actions.push_back({.what = kind::forget, .acquisition = e.acquisition});
  e.acquisition = 0;
  e.is = state::queued;
  line_.regroup(e);
  ++e.turn;
  ++e.handoffs;
  waiters_.hand_over(e.wants);
}

void own_entries::end_hand_overs(const entry& e) noexcept {
  if (e.turn != 0 && e.wants == role::exclusive) waiters_.end_hand_overs(e.wants);
}

// It may have been created for an acquisition that wanted more, or less.
bool own_entries::begin_permits(entry& e, std::uint32_t permits) {
  const auto brought = std::min(spare_, waiters_.count_brought());
  if (e.room < permits && !take_room(permits - e.room, spare_ - brought)) return false;
  if (e.acquisition == 0) waiters_.assign(e);
  const auto more = e.room - std::min(e.room, permits);
  e.room = permits;
  e.is = state::granting;
  e.replaced.begin_permits(permits);
  permits_.take(permits);
  give_back(more);
  return true;
}

void own_entries::end_permits(entry& e) noexcept {
  permits_.give_back(e.permits());
  e.replaced.reset();
  e.gives_back = false;
}

void own_entries::back_in_line(event_context& context, entry& e) {
  const bool is_released = e.is == state::releasing;
  end_permits(e);
  e.is = state::queued;
  if (is_released) return remove(context, e);
  waiters_.requeue_with_entry(e);
}

// The entry itself has less room than is wanted.
void own_entries::pass_up(event_context& context, entry& e) {
  const auto permits = *waiters_.first_in_line(e.wants);
  const bool any_larger = std::any_of(all_.begin(), all_.end(), [&](const auto& each) {
    return each.second.is_unassigned() && each.second.room >= permits;
  });
  if (any_larger)
    waiters_.remove_entry(e.wants);
  else
    waiters_.wait_again(e.wants);
  remove(context, e);
}

void own_entries::requeue(entry& e) {
  if (e.is == state::releasing) return;
  waiters_.requeue(std::exchange(e.acquisition, 0));
}

void own_entries::refuse(event_context& context, entry& e, reason why) {
  if (e.is == state::releasing) return;
  const acquisition_id id = std::exchange(e.acquisition, 0);
  waiters_.unassign(id);
  context.actions.push_back({.what = kind::refuse, .why = why, .acquisition = id});
}

void own_entries::remove(event_context& context, entry& e) {
  line_.erase(e);
  if (!e.is_leaving()) permits_.give_back(e.permits());
  leave_cache(e);
  leaving_ += !goes(e);
  e.is = state::removing;
  end_hand_overs(e);
  e.turn = 0;
  // What is not sent now is seen to when the list of the recovery is here, or when it is known what
  // the node is called.
  if (line_.can_ask() && !e.is_downgrading()) send_remove(context, e);
  line_.leave();
}

void own_entries::remove_refused(event_context& context) {
  for (auto& [id, e] : all_)
    if (e.is == state::refused) send_remove(context, e);
}

void own_entries::send_remove(event_context& context, entry& e) {
  e.is = state::removing;
  context.actions.push_back({.what = e.permits() == 0 ? kind::remove : kind::give_back,
                             .wants = e.wants,
                             .entry = e.id,
                             .number = e.number,
                             .permits = e.permits()});
}

void own_entries::lose_node(event_context& context, entry& e) {
  line_.erase(e);
  // Others may have been first meanwhile, and have taken permits.
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

void own_entries::lose_pin(event_context& context, sequence number) {
  line_.pin_lost();
  drop_cached(context);
  give_back_behind(number);
}

void own_entries::undo_replacement(event_context& context, entry& e, role first) {
  if (!e.is_leaving()) {
    permits_.give_back(e.permits());
    if (e.is == state::held)
      lose(context, e, reason::entry_deleted);
    else if (e.permits() != 0)
      requeue(e);
    else
      vacate(context, e);
  }
  line_.erase(e);
  leave_cache(e);
  if (e.is == state::cached) e.is = state::queued;
  e.replaced.reset();
  e.wants = first;
  remove(context, e);
}

// The permits for one behind it were asked for after this one had left the line, so that the answer
// comes after the one that tells: they are given back before they are granted.
void own_entries::give_back_behind(sequence number) noexcept {
  for (auto& [id, e] : all_)
    if (e.is_replacing() && e.number > number) e.gives_back = true;
}

void own_entries::lose_line(event_context& context) {
  while (!line_.own().empty())
    lose_node(context, *line_.own().begin()->second);
  line_.forget();
}

void own_entries::expired(event_context& context, reason why) {
  while (!all_.empty()) {
    entry& e = all_.begin()->second;
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

void own_entries::forget(event_context& context, entry& e, reason why) {
  if (e.acquisition != 0)
    context.actions.push_back({.what = kind::forget, .why = why, .acquisition = e.acquisition});
  end_hand_overs(e);
  if (!e.is_leaving()) permits_.give_back(e.permits());
  leave_cache(e);
  leaving_ -= goes(e);
  const auto room = e.room;
  all_.erase(e.id);
  give_back(room);
}

} // namespace zklock::queue
