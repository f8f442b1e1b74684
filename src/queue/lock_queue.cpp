#include "queue/lock_queue.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

lock_queue::lock_queue(const settings& settings, node_budget& budget)
    : settings_(settings),
      line_(settings.policy, settings.look_ahead),
      permits_(settings.limit),
      cache_((settings.cache || settings.local_handoffs != 0) &&
             !settings.policy.holds_by_permits()),
      life_(settings_, budget, line_, demands_, permits_, cache_),
      scheduler_(settings_, line_, demands_, permits_, life_, cache_),
      events_(line_, permits_, cache_, orphans_, life_, scheduler_, unfinished_) {}

reason lock_queue::refusal(lock_mode asked) const noexcept {
  const auto most =
      std::min(permits_.most().value_or(settings_.most_permits), settings_.most_permits);
  if (asked.permits > most) return reason::too_many_permits;
  return fits_budget(asked.permits) ? reason::none : reason::budget_exhausted;
}

demand_id lock_queue::add(lock_mode asked) {
  if (asked.has_room) life_.entries().bring_room(asked.permits);
  return demands_.add(asked);
}

void lock_queue::serve(event_context& context) {
  life_.entries().count_cached() != 0 ? scheduler_.advance(context) : scheduler_.fill(context);
}

void lock_queue::start_try(event_context& context, demand_id id, lock_mode asked) {
  if (asked.has_room) life_.entries().bring_room(asked.permits);
  if (may_try_by_cached(context, asked)) {
    demands_.add_again({id, asked});
    return scheduler_.advance(context);
  }
  demands_.tries().add({id, asked});
  scheduler_.tries().start(context);
}

// A try does not wait for the knowledge and the proof that a grant of the cached entry needs: the
// entry is evicted, and the try finds the lock free.
bool lock_queue::may_try_by_cached(event_context& context, const lock_mode& asked) {
  if (life_.entries().count_cached() == 0 || !demands_.is_idle()) return false;
  const entry* const cached = asked.identity ? nullptr : life_.entries().find_cached(asked.wants);
  if (context.proven && cached && life_.reuse().can_grant(*cached)) return true;
  life_.evict(context);
  return false;
}

void lock_queue::lend(entry_id granted) {
  entry* const e = life_.entries().find(granted);
  if (e && e->is == state::held) life_.cache(*e);
}

// A caller that has just acquired on the fast path often waits here soon: the spare entries stay as
// long as the lock is held.
void lock_queue::granted_fast(entry_id by, std::uint32_t next_turn, bool is_held,
                              std::span<const demand_id> gone) {
  entry* const e = life_.entries().find(by);
  if (!e || e->is != state::cached) return;
  e->turn = is_held ? next_turn - 1 : next_turn;
  if (is_held)
    life_.entries().change(*e, [&] {
      e->is = state::held;
      e->has_holder = true;
    });
  for (const auto id : gone)
    demands_.remove(id);
  if (is_held) demands_.spare_unneeded(e->wants);
}

const entry* lock_queue::entry_for_fast_path() const noexcept {
  if (!line_.channel().can_send() || life_.entries().is_any_leaving()) return nullptr;
  if (demands_.tries().empty())
    if (const entry* const e = life_.reuse().find_to_lend()) return e;
  if (!settings_.cache || !demands_.is_idle() || life_.reuse().is_any_held()) return nullptr;
  for (const auto wants : {role::exclusive, role::shared})
    if (const entry* const e = life_.entries().find_cached(wants); e && life_.reuse().can_grant(*e))
      return e;
  return nullptr;
}

void lock_queue::release(event_context& context, entry_id id, bool may_cache) {
  entry* const e = life_.entries().find(id);
  if (!e || e->is != state::held) return;
  const auto begin = context.actions.size();
  life_.release(context, *e, may_cache);
  scheduler_.advance(context);
  check_granted(context, begin);
}

void lock_queue::withdraw(event_context& context, demand_id id) {
  const auto begin = context.actions.size();
  if (life_.withdraw(context, id)) scheduler_.advance(context);
  check_granted(context, begin);
}

// The turns of the entry go on, so that no token comes twice.
void lock_queue::downgrade(event_context& context, entry_id id) {
  entry* const e = life_.entries().find(id);
  if (!e || e->is != state::held || e->wants != role::exclusive) return;
  if (e->permits() != 0 || e->is_downgrading()) return;
  life_.end_hand_overs(*e);
  events_.downgrade(context, *e);
  life_.shed(context);
}

// An acquisition that waited to be handed over the entry may need an entry of its own now.
void lock_queue::set_identity(event_context& context, entry_id id,
                              const identity_pointer& identity) {
  entry* const e = life_.entries().find(id);
  if (!e || e->is != state::held) return;
  entry_life::set_identity(*e, identity);
  refill(context);
}

bool lock_queue::may_prove(entry_id id) const noexcept {
  const auto it = entries().find(id);
  return line_.channel().can_send() && !scheduler_.requests().is_confirming() &&
         it != entries().end() && it->second.is == state::held;
}

void lock_queue::prove(event_context& context, entry_id id) {
  if (may_prove(id)) scheduler_.requests().confirm(context, entries().at(id));
}

// The session may be proven by now: then a hand-over that waited for the proof goes on.
void lock_queue::refill(event_context& context) {
  const auto begin = context.actions.size();
  scheduler_.advance(context);
  check_granted(context, begin);
}

bool lock_queue::drop_surplus(event_context& context) {
  return scheduler_.drop_surplus(context);
}

// A new connection retries all of them: the deletes of orphans at once, and the requests for
// entries after the list of the recovery.
void lock_queue::try_again(event_context& context) {
  if (!unfinished_.take_refused()) return;
  if (unfinished_.take_list_refused())
    scheduler_.requests().list(context, kind::sync_and_list);
  else
    events_.inspect_downgrades(context);
  orphans_.send(context);
  life_.remove_refused(context);
}

idle_knowledge lock_queue::knowledge() noexcept {
  const bool is_watched = line_.is_directory_watched();
  return {.has_directory = scheduler_.requests().has_directory(),
          .is_watched = is_watched,
          .gone_up_to = is_watched ? line_.gone_up_to() : std::nullopt};
}

void lock_queue::resume(const idle_knowledge& known) noexcept {
  scheduler_.requests().resume(known.has_directory);
  line_.resume(known.is_watched, known.gone_up_to);
}

void lock_queue::connected(event_context& context, session_token token) {
  orphans_.send(context);
  const bool recovers = !life_.entries().all().empty() || has_late_writes();
  line_.channel().connected(token, recovers);
  // The outcomes of the requests in flight, and the entries before ours, must be known before
  // anything else is done. The list comes behind a write, since another server may lag behind the
  // earlier server, or have lost its quorum.
  if (recovers) return scheduler_.requests().list(context, kind::sync_and_list);
  scheduler_.tries().start(context);
  scheduler_.fill(context);
}

// A follower that was slow to reach the leader may have a write of ours carried out after the next
// connection has recovered: the leader then counts the session as moved back, and the new
// connection ends with its next write. The recovery of the connection after that shows the node. A
// client that uses no lock any more goes on writing for a session timeout, with the checks of its
// session. A still later node shows after any later reconnect.
void lock_queue::disconnected() {
  if (life_.entries().is_any_to_appear()) expect_late_writes();
  unfinished_.disconnected();
  life_.disconnected();
  line_.disconnected();
  demands_.tries().disconnected();
  permits_.disconnected();
  cache_.disconnected();
  orphans_.disconnected();
  scheduler_.requests().disconnected();
}

void lock_queue::expired(event_context& context, reason why) {
  unfinished_.expired();
  line_.expired();
  orphans_.expired();
  life_.expired(context, why);
}

bool lock_queue::empty() const noexcept {
  return scheduler_.is_idle() && orphans_.empty();
}

bool lock_queue::accounts_for(entry_id id, form node, std::string_view name) const noexcept {
  if (has_late_writes() || orphans_.contains(name)) return true;
  const auto it = life_.entries().all().find(id);
  return it != life_.entries().all().end() &&
         (it->second.replaced.is_open() || it->second.node() == node);
}

std::optional<std::size_t> lock_queue::count_ahead(demand_id id, std::size_t nth) const noexcept {
  const auto place = demands_.find(id, nth);
  if (!place) return std::nullopt;
  if (place->in_line) return line_.count_before(life_.entries().at(*place->in_line));
  const auto known = line_.count_known();
  return known ? std::optional(place->waiting + *known) : std::nullopt;
}

} // namespace zklock::queue
