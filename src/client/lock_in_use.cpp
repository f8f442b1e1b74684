#include "client/lock_in_use.hpp"

#include "client/call_user.hpp"
#include "client/client_impl.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace zklock::detail {

namespace {

error_code to_error(queue::reason why) noexcept {
  switch (why) {
  case queue::reason::none:
    return {};
  case queue::reason::busy:
    return errc::busy;
  case queue::reason::budget_exhausted:
    return errc::budget_exhausted;
  case queue::reason::no_permission:
    return errc::no_permission;
  case queue::reason::no_chroot:
    return errc::no_chroot;
  case queue::reason::parent_is_ephemeral:
    return errc::not_a_directory;
  case queue::reason::sequence_exhausted:
    return errc::sequence_exhausted;
  case queue::reason::too_many_permits:
    return errc::bad_permits;
  case queue::reason::bad_limit:
    return errc::bad_limit;
  case queue::reason::failed:
    return errc::refused;
  case queue::reason::entry_deleted:
    return errc::entry_deleted;
  case queue::reason::session_expired:
    return errc::session_expired;
  case queue::reason::data_rolled_back:
    return errc::data_rolled_back;
  }
  return errc::refused;
}

std::string label_of(const client_impl& client, const lock_definition& lock) {
  std::string label;
  if (const auto& function = client.options().label)
    call_user(client.get_executor(), [&] { label = function(lock.given); });
  return label;
}

} // namespace

lock_in_use::lock_in_use(client_impl& client, std::shared_ptr<const lock_definition> lock,
                         const queue::settings& settings, queue::node_budget& budget,
                         std::pmr::memory_resource* memory)
    : client_(client),
      counters_(client.counters().labelled(label_of(client, *lock))),
      policy_(settings.policy),
      entry_bytes_(settings.entry_bytes),
      most_permits_(settings.most_permits),
      acquisitions_(memory),
      driver_(client.locks(), *this, std::move(lock), settings, budget, memory) {}

void lock_in_use::start(const std::shared_ptr<acquisition>& c) {
  if (acquisitions_.empty()) kept_ = c->path()->kept;
  add(c);
  if (c->more() && c->more()->queued) position_waiters_.push_back(c);
  driver_.acquire(c->id, c->wanted(), c->trying);
}

void lock_in_use::release(const acquisition& c) {
  bool may_keep = client_.options().lock_cache || client_.options().local_handoffs != 0;
  if (may_keep) {
    const auto now = keep_times::clock::now();
    if (c.entry() != 0) times_.used(now);
    may_keep = c.may_keep() && times_.may_keep(now);
  }
  driver_.release(c.id, may_keep);
}

lock_in_use::sharing lock_in_use::share(const std::shared_ptr<acquisition>& c) {
  const auto known = owners_[c->owner()].lock();
  if (known && known->current() == acquisition::phase::held) {
    const auto held = known->held();
    const auto wanted = c->wanted();
    const bool enough = (held.wants == wanted.wants || held.wants == queue::role::exclusive) &&
                        wanted.permits <= held.permits;
    if (!enough) {
      c->refuse(errc::upgrade_refused);
    } else if (!client_.checks().proven()) {
      driver_.prove(known->id);
      return sharing::unproven;
    } else {
      c->grant_shared(known);
    }
    return sharing::done;
  }
  if (known && known->current() == acquisition::phase::waiting) {
    c->refuse(errc::owner_busy);
    return sharing::done;
  }
  owners_[c->owner()] = c;
  return sharing::none;
}

bool lock_in_use::is_held_by(std::uint64_t owner) const noexcept {
  const auto found = owners_.find(owner);
  const auto known = found == owners_.end() ? nullptr : found->second.lock();
  return known && known->current() == acquisition::phase::held;
}

bool lock_in_use::is_for(const lock_definition& lock) const noexcept {
  return lock.kind == name().kind && lock.limit == name().limit &&
         lock.limit_node == name().limit_node;
}

void lock_in_use::on_granted(queue::acquisition_id id, const grant& by) {
  const auto it = acquisitions_.find(id);
  if (it == acquisitions_.end()) return;
  const auto c = it->second;
  if (grants_until_offer_ != 0) --grants_until_offer_;
  const auto now = std::chrono::steady_clock::now();
  client_.deadlines().granted(*c, now);
  c->grant(fencing_token(by.czxid, by.turn),
           {.session = client_.locks().token(),
            .entry = by.entry,
            .label = policy_.label(by.wants),
            .number = by.number,
            .permits = by.permits},
           now);
}

void lock_in_use::on_downgraded(queue::acquisition_id id, queue::reason why) {
  const auto it = acquisitions_.find(id);
  if (it != acquisitions_.end()) it->second->downgraded(to_error(why));
}

void lock_in_use::on_refused(queue::acquisition_id id, queue::reason why) {
  const auto c = take_out(id);
  if (!c) return;
  log_too_many(*c, why);
  c->refuse(to_error(why));
  c->forget({});
}

void lock_in_use::on_lost(queue::acquisition_id id, queue::reason why) {
  const auto c = take_out(id);
  if (!c) return;
  c->lose(to_error(why));
  c->forget({});
}

void lock_in_use::on_released(queue::acquisition_id id, queue::reason why) {
  if (const auto c = take_out(id)) c->forget(to_error(why));
}

void lock_in_use::on_settled() {
  if (!position_waiters_.empty()) report_positions();
  offer_kept();
  client_.locks().settle(*this);
}

void lock_in_use::add(const std::shared_ptr<acquisition>& c) {
  acquisitions_.emplace(c->id, c);
  staying_ += !may_hand_out(*c);
}

std::shared_ptr<acquisition> lock_in_use::take_out(queue::acquisition_id id) {
  const auto it = acquisitions_.find(id);
  if (it == acquisitions_.end()) return nullptr;
  auto c = std::move(it->second);
  acquisitions_.erase(it);
  staying_ -= !may_hand_out(*c);
  if (c->owner() != 0) forget_owner(*c);
  deadlines::remove(*c);
  return c;
}

// An error code has no room for figures.
void lock_in_use::log_too_many(const acquisition& c, queue::reason why) const {
  const auto permits = c.wanted().permits;
  const auto log = [&](const std::string& fault) {
    client_.log(log_level::error,
                name().given + ": " + std::to_string(permits) + " permits " + fault);
  };
  if (why == queue::reason::budget_exhausted && !driver_.state().fits_budget(permits))
    log("take " + std::to_string(permits * entry_bytes_) + " bytes of node paths, owned_bytes is " +
        std::to_string(client_.options().owned_bytes));
  if (why == queue::reason::too_many_permits && permits > most_permits_)
    log("do not fit into one transaction: with this path, identity and access list " +
        std::to_string(most_permits_) + " do");
}

// Calls `acquire_options::queued` of the acquisitions that still wait once their position is known.
void lock_in_use::report_positions() {
  const auto waiters = std::exchange(position_waiters_, {});
  for (const auto& c : waiters) {
    if (c->current() != acquisition::phase::waiting) continue;
    if (const auto ahead = driver_.state().count_ahead(c->id))
      client_.call_program(
          [queued = std::exchange(c->more()->queued, nullptr), count = *ahead] { queued(count); });
    else
      position_waiters_.push_back(c);
  }
}

void lock_in_use::forget_owner(const acquisition& c) {
  const auto it = owners_.find(c.owner());
  if (it != owners_.end() && it->second.lock().get() == &c) owners_.erase(it);
}

} // namespace zklock::detail
