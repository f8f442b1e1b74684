#include "client/lock_in_use.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace zklock::detail {

namespace {

std::shared_ptr<acquisition> as_acquisition(const lock_line::member_ptr& c) noexcept {
  return std::static_pointer_cast<acquisition>(c);
}

std::vector<std::shared_ptr<acquisition>>
as_acquisitions(const std::vector<lock_line::member_ptr>& all) {
  std::vector<std::shared_ptr<acquisition>> found;
  for (const auto& each : all)
    found.push_back(as_acquisition(each));
  return found;
}

} // namespace

lock_in_use::lock_in_use(client_core& core, lock_surroundings& around, requester& by,
                         lock_counters& counters, std::shared_ptr<const lock_definition> lock,
                         const queue::settings& settings, queue::node_budget& budget,
                         std::pmr::memory_resource* memory)
    : core_(core),
      around_(around),
      requester_(by),
      line_(*lock->acquisitions),
      entry_bytes_(settings.entry_bytes),
      most_permits_(settings.most_permits),
      watch_(lock),
      tickets_(line_, *this, settings.cache, memory),
      driver_(by, tickets_.listener(), lock, settings, budget, memory) {
  tickets_.drive(driver_);
  line_.count_in(&counters);
}

lock_in_use::~lock_in_use() {
  line_.count_in(nullptr);
}

// Tries start after the waiting acquisitions: a try finds the lock taken if any acquisition waits.
bool lock_in_use::look() {
  std::vector<std::shared_ptr<acquisition>> tries;
  look_at_doubtful();
  for (const auto& seen : line_.look()) {
    const auto c = as_acquisition(seen);
    if (c->owner() != 0) {
      const auto found = share(*c);
      if (found == sharing::done) continue;
      if (found == sharing::unproven) {
        line_.set_in_doubt(*c);
        doubtful_.push_back(c);
        continue;
      }
    }
    if (c->trying)
      tries.push_back(c);
    else if (c->more() && c->more()->queued)
      position_waiters_.push_back(c);
  }
  tickets_.look(!position_waiters_.empty());
  for (const auto& c : tries)
    if (c->current() == acquisition::phase::waiting) tickets_.start_try(*c);
  return !doubtful_.empty();
}

void lock_in_use::look_at_doubtful() {
  for (const auto& c : std::exchange(doubtful_, {})) {
    // The acquisition timed out or was cancelled.
    if (c->current() != acquisition::phase::waiting) continue;
    switch (share(*c)) {
    case sharing::none:
      line_.wait_again(*c);
      break;
    case sharing::unproven:
      doubtful_.push_back(c);
      break;
    case sharing::done:
      break;
    }
  }
}

void lock_in_use::withdraw(acquisition& c) {
  if (c.owner() != 0) forget_owner(c);
  tickets_.withdraw(c);
}

void lock_in_use::release(acquisition& c) {
  bool may_keep = core_.options().lock_cache || core_.options().local_handoffs != 0;
  if (may_keep) {
    const auto now = keep_times::clock::now();
    if (c.entry() != 0) times_.used(now);
    may_keep = c.may_keep() && times_.may_keep(now);
  }
  tickets_.release(c, may_keep);
}

lock_in_use::sharing lock_in_use::share(acquisition& c) {
  const auto refuse = [&](errc why) {
    const auto out = line_.take_out(c);
    c.refuse(why);
    return sharing::done;
  };
  const auto known = owners_[c.owner()].lock();
  if (known && known.get() != &c) {
    if (known->current() == acquisition::phase::held) {
      const auto held = known->held();
      const auto wanted = c.wanted();
      const bool enough = (held.wants == wanted.wants || held.wants == queue::role::exclusive) &&
                          wanted.permits <= held.permits;
      if (!enough) return refuse(errc::upgrade_refused);
      if (!requester_.proven()) {
        tickets_.prove(*known);
        return sharing::unproven;
      }
      const auto out = line_.take_out(c);
      c.grant_shared(known);
      return sharing::done;
    }
    if (known->current() == acquisition::phase::waiting) return refuse(errc::owner_busy);
  }
  owners_[c.owner()] = c.weak_from_this();
  return sharing::none;
}

bool lock_in_use::is_held_by(std::uint64_t owner) const noexcept {
  const auto found = owners_.find(owner);
  const auto known = found == owners_.end() ? nullptr : found->second.lock();
  return known && known->current() == acquisition::phase::held;
}

void lock_in_use::forget_owner(const acquisition& c) noexcept {
  const auto it = owners_.find(c.owner());
  if (it != owners_.end() && it->second.lock().get() == &c) owners_.erase(it);
}

bool lock_in_use::is_for(const lock_definition& lock) const noexcept {
  return lock.kind == name().kind && lock.limit == name().limit &&
         lock.limit_node == name().limit_node;
}

std::vector<std::shared_ptr<acquisition>> lock_in_use::acquisitions() {
  auto all = as_acquisitions(tickets_.members());
  all.insert(all.end(), doubtful_.begin(), doubtful_.end());
  return all;
}

std::vector<std::shared_ptr<acquisition>> lock_in_use::take_all() {
  position_waiters_.clear();
  auto all = as_acquisitions(tickets_.take_all());
  for (auto& c : std::exchange(doubtful_, {}))
    if (line_.take_out(*c)) all.push_back(std::move(c));
  return all;
}

bool lock_in_use::may_open() {
  if (!times_.may_keep(keep_times::clock::now())) return false;
  around_.entry_used();
  return true;
}

void lock_in_use::line_closed(std::uint32_t grants, bool is_held) {
  if (grants != 0 || is_held) times_.used(keep_times::clock::now(), std::max(grants, 1U));
  if (is_held) around_.entry_unused(*this);
}

void lock_in_use::settled() {
  if (!position_waiters_.empty()) report_positions();
  around_.settled(*this);
}

void lock_in_use::note_fast_uses() {
  const auto grants = tickets_.take_grants();
  if (grants != 0 || is_held_fast()) times_.used(keep_times::clock::now(), std::max(grants, 1U));
}

// A conflict is over when no entry of this client is left.
void lock_in_use::note_conflicts() {
  const auto conflicts = driver_.state().cache_conflicts();
  if (std::exchange(conflicts_, conflicts) != conflicts)
    times_.conflict_began(keep_times::clock::now(), driver_.state().is_any(queue::role::shared));
  if (times_.is_in_conflict() && driver_.state().entries().empty())
    times_.conflict_ended(keep_times::clock::now());
}

void lock_in_use::log_refusal(const acquisition& c, queue::reason why) const {
  const auto permits = c.wanted().permits;
  const auto log = [&](const std::string& fault) {
    core_.log(log_level::error,
              name().given + ": " + std::to_string(permits) + " permits " + fault);
  };
  if (why == queue::reason::budget_exhausted && !driver_.state().fits_budget(permits))
    log("take " + std::to_string(permits * entry_bytes_) + " bytes of node paths, owned_bytes is " +
        std::to_string(core_.options().owned_bytes));
  if (why == queue::reason::too_many_permits && permits > most_permits_)
    log("do not fit into one transaction: with this path, identity and access list " +
        std::to_string(most_permits_) + " do");
}

// Calls `acquire_options::queued` of the acquisitions that still wait once their position is known.
void lock_in_use::report_positions() {
  for (const auto& c : std::exchange(position_waiters_, {})) {
    if (c->current() != acquisition::phase::waiting) continue;
    if (const auto ahead = tickets_.count_ahead(*c))
      core_.call_program(
          [queued = std::exchange(c->more()->queued, nullptr), count = *ahead] { queued(count); });
    else
      position_waiters_.push_back(c);
  }
}

} // namespace zklock::detail
