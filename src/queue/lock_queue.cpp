// What the callers and the session do to a queue.

#include "queue/lock_queue.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

lock_queue::lock_queue(const settings& settings, node_budget& budget,
                       std::pmr::memory_resource* memory)
    : settings_(settings),
      budget_(budget),
      line_(settings.policy, settings.look_ahead, memory),
      waiters_(memory),
      permits_(settings.limit),
      cache_((settings.cache || settings.local_handoffs != 0) &&
             !settings.policy.holds_by_permits()),
      entries_(settings_, budget, line_, waiters_, permits_, cache_, memory),
      scheduler_(settings_, line_, waiters_, permits_, entries_, orphans_, cache_) {}

void lock_queue::acquire(event_context& context, acquisition_id id, lock_mode asked, bool trying) {
  if (asked.has_room) entries_.bring_room(asked.permits);
  if (asked.permits >
      std::min(permits_.most().value_or(settings_.most_permits), settings_.most_permits))
    return scheduler_.refuse(context, id, reason::too_many_permits);
  // It would wait for ever.
  if (!fits_budget(asked.permits)) return scheduler_.refuse(context, id, reason::budget_exhausted);
  if (trying) {
    if (try_by_cached(context, id, asked)) return;
    waiters_.add_attempt(id, asked);
    scheduler_.start_tries(context);
  } else {
    waiters_.wait(id, asked);
    entries_.count_cached() != 0 ? scheduler_.advance(context) : scheduler_.fill(context);
  }
}

// A try is not to wait for what must be known or proven before an entry that is kept is granted:
// that entry is deleted, and the try finds the lock free.
bool lock_queue::try_by_cached(event_context& context, acquisition_id id, lock_mode asked) {
  if (entries_.count_cached() == 0 || !waiters_.is_idle()) return false;
  const entry* const kept = entries_.find_cached(asked.wants);
  if (!context.proven || !kept || !entries_.reuse().can_grant(*kept)) {
    entries_.drop_cached(context);
    return false;
  }
  waiters_.wait(id, asked);
  scheduler_.advance(context);
  return true;
}

void lock_queue::hand_out(entry_id granted) {
  entry* const e = entries_.find(granted);
  if (e && e->is == state::held) entries_.hand_out(*e);
}

// The spare entries stay as long as the lock is held: a hold that begins often waits here soon.
void lock_queue::granted_outside(entry_id by, std::uint32_t next_turn, acquisition_id holder,
                                 std::span<const acquisition_id> gone,
                                 std::span<const waiting_acquisition> added) {
  entry* const e = entries_.find(by);
  if (!e || e->is != state::cached) return;
  e->turn = holder == 0 ? next_turn : next_turn - 1;
  if (holder != 0) entries_.hold_outside(*e, holder);
  for (const auto id : gone)
    waiters_.stop_waiting(id);
  for (const auto& [id, asked] : added) {
    if (asked.has_room) entries_.bring_room(asked.permits);
    waiters_.wait(id, asked);
  }
  waiters_.match();
  if (holder != 0) waiters_.keep_unneeded(e->wants);
}

const entry* lock_queue::grantable_outside() const noexcept {
  if (!line_.can_ask() || entries_.is_any_leaving()) return nullptr;
  if (waiters_.without_entry().empty())
    if (const entry* const e = entries_.reuse().find_to_hand_out()) return e;
  if (!settings_.cache || !waiters_.is_idle() || entries_.reuse().is_any_held()) return nullptr;
  for (const auto wants : {role::exclusive, role::shared})
    if (const entry* const e = entries_.find_cached(wants); e && entries_.reuse().can_grant(*e))
      return e;
  return nullptr;
}

void lock_queue::drop_cached(event_context& context) {
  const auto begin = context.actions.size();
  entries_.drop_cached(context);
  scheduler_.advance(context);
  check_granted(context, begin);
}

void lock_queue::release(event_context& context, acquisition_id id, bool may_keep) {
  const auto begin = context.actions.size();
  give_back(context, id, may_keep);
  check_granted(context, begin);
}

void lock_queue::give_back(event_context& context, acquisition_id id, bool may_keep) {
  entry* const e = waiters_.find_assigned(id);
  if (!e) return give_up(context, id);
  if (e->is_try()) {
    // Without its entry it is a try like any other.
    entries_.drop(context, *e);
    give_up(context, id);
    return scheduler_.advance(context);
  }
  if (entries_.release(context, *e, may_keep)) scheduler_.advance(context);
}

void lock_queue::give_up(event_context& context, acquisition_id id) {
  const action told{.what = kind::forget, .acquisition = id};
  if (entries_.leave_line(context, told)) return scheduler_.advance(context);
  if (waiters_.withdraw(id)) context.actions.push_back(told);
}

void lock_queue::prove(event_context& context, acquisition_id id) {
  const entry* const e = waiters_.find_assigned(id);
  if (line_.can_ask() && e && e->is == state::held) scheduler_.confirm(context, *e);
}

// The session may be proven by now: then a hand-over that waited for that goes on.
void lock_queue::refill(event_context& context) {
  const auto begin = context.actions.size();
  scheduler_.advance(context);
  check_granted(context, begin);
}

bool lock_queue::drop_surplus(event_context& context) {
  return scheduler_.drop_surplus(context);
}

// A new connection sends all of it again by itself: the orphans at once, and of the entries what
// the list of the recovery shows.
void lock_queue::try_again(event_context& context) {
  if (!std::exchange(refused_, false)) return;
  if (std::exchange(relist_, false))
    scheduler_.list(context, kind::sync_and_list);
  else
    inspect_readers(context);
  orphans_.send(context);
  entries_.remove_refused(context);
}

void lock_queue::connected(event_context& context, session_token token) {
  token_ = token;
  orphans_.send(context);
  const bool recovers = !entries_.all().empty() || has_late_writes_;
  line_.connected(recovers);
  // What became of the requests in flight, and which entries are before ours, must be known before
  // anything else is done. A different server may lag behind what was seen already, or have lost
  // its quorum: a list must show no less than that.
  if (recovers) return scheduler_.list(context, kind::sync_and_list);
  scheduler_.start_tries(context);
  scheduler_.fill(context);
}

// A follower that was slow to reach the leader may have a write of ours carried out after the next
// connection has recovered: the leader then counts the session as moved back, and that connection
// ends with its next write. The recovery after that shows the node. A client that uses no lock any
// more goes on writing for one session timeout, with the checks of its session. What is later than
// that shows after any later reconnect.
void lock_queue::disconnected() {
  has_late_writes_ |= entries_.is_any_to_appear();
  refused_ = relist_ = false;
  entries_.disconnected();
  line_.disconnected();
  waiters_.without_entry().disconnected();
  permits_.disconnected();
  cache_.disconnected();
  orphans_.disconnected();
  scheduler_.disconnected();
}

void lock_queue::expired(event_context& context, reason why) {
  has_late_writes_ = false;
  line_.expired();
  orphans_.expired();
  entries_.expired(context, why);
}

bool lock_queue::empty() const noexcept {
  return entries_.all().empty() && waiters_.empty() && orphans_.empty();
}

bool lock_queue::accounts_for(entry_id id, form node, std::string_view name) const noexcept {
  if (has_late_writes_ || orphans_.contains(name)) return true;
  const auto it = entries_.all().find(id);
  return it != entries_.all().end() && (it->second.replaced.is_open() || it->second.node() == node);
}

std::optional<std::size_t> lock_queue::count_ahead(acquisition_id id) const noexcept {
  if (const auto rank = waiters_.find_in_line(id)) return line_.count_before(entries_.at(*rank));
  const auto waiting = waiters_.waiting_before(id);
  const auto known = line_.count_known();
  if (!waiting || !known) return std::nullopt;
  return *waiting + *known;
}

// Entries of ours are for the acquisitions that came first: the others stand behind them.
bool lock_queue::in_line(acquisition_id id) const noexcept {
  return !waiters_.is_waiting(id) || !line_.own().empty() || starved();
}

} // namespace zklock::queue
