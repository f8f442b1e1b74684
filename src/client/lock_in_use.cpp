#include "client/lock_in_use.hpp"

#include "client/transaction_size.hpp"

#include <string>
#include <utility>

namespace zklock::detail {

namespace {

std::vector<std::shared_ptr<acquisition>>
as_acquisitions(const std::vector<lock_line::member_ptr>& all) {
  std::vector<std::shared_ptr<acquisition>> found;
  for (const auto& each : all)
    found.push_back(std::static_pointer_cast<acquisition>(each));
  return found;
}

} // namespace

lock_in_use::lock_in_use(lock_surroundings& around, requester& by, lock_counters& counters,
                         std::shared_ptr<const lock_definition> lock,
                         const queue::settings& settings, queue::node_budget& budget)
    : around_(around),
      watch_(lock),
      owners_(line(), tickets_, by),
      tickets_(line(), *this, settings.cache),
      driver_(by, tickets_.listener(), lock, settings, budget),
      cached_{*this, settings.entry_bytes} {
  tickets_.drive(driver_);
  line().count_in(&counters);
}

lock_in_use::~lock_in_use() {
  line().count_in(nullptr);
}

// Tries start after the waiting acquisitions: a try finds the lock taken if any acquisition waits.
// Only the queue knows positions.
bool lock_in_use::look() {
  std::vector<std::shared_ptr<acquisition>> tries;
  bool needs_queue = false;
  owners_.serve_again();
  for (const auto& seen : line().look()) {
    const auto c = std::static_pointer_cast<acquisition>(seen);
    if (owner_of(*c) != 0 && owners_.serve(*c)) continue;
    if (c->trying) {
      tries.push_back(c);
    } else if (c->more() && c->more()->queued) {
      position_waiters_.push_back(c);
      needs_queue = true;
    }
  }
  owners_.prove();
  tickets_.look(needs_queue);
  for (const auto& c : tries)
    if (c->current() == acquisition::phase::waiting) tickets_.start_try(*c);
  return owners_.is_any_waiting();
}

void lock_in_use::withdraw(acquisition& c) {
  if (owner_of(c) != 0) owners_.forget(c);
  tickets_.withdraw(c);
}

// The entry of a lost hold is neither cached nor handed over.
void lock_in_use::release(acquisition& c) {
  bool may_cache =
      around_.core().options().lock_cache || around_.core().options().local_handoffs != 0;
  if (may_cache) {
    const auto now = cache_times::clock::now();
    if (c.entry().id() != 0) times_.used(now);
    may_cache = (!c.more() || c.more()->cache) && c.current() != acquisition::phase::lost &&
                times_.may_cache(now);
  }
  tickets_.release(c, may_cache);
}

bool lock_in_use::is_for(const lock_definition& lock) const noexcept {
  return lock.kind == name().kind && lock.limit == name().limit &&
         lock.limit_node == name().limit_node;
}

std::vector<std::shared_ptr<acquisition>> lock_in_use::acquisitions() {
  auto all = as_acquisitions(tickets_.members());
  all.insert(all.end(), owners_.waiting().begin(), owners_.waiting().end());
  return all;
}

std::vector<std::shared_ptr<acquisition>> lock_in_use::take_all() {
  position_waiters_.clear();
  auto all = as_acquisitions(tickets_.take_all());
  for (auto& c : owners_.take_waiting())
    all.push_back(std::move(c));
  return all;
}

bool lock_in_use::may_open() {
  if (!times_.may_cache(cache_times::clock::now())) return false;
  around_.entry_used();
  return true;
}

void lock_in_use::line_closed(std::uint32_t grants, bool is_held) {
  if (grants != 0 || is_held) times_.used(cache_times::clock::now(), std::max(grants, 1U));
  if (is_held) around_.entry_unused(*this);
}

void lock_in_use::settled() {
  if (!position_waiters_.empty()) report_positions();
  around_.settled(*this);
}

void lock_in_use::note_fast_uses() {
  const auto grants = tickets_.take_grants();
  if (grants != 0 || is_held_fast()) times_.used(cache_times::clock::now(), std::max(grants, 1U));
}

void lock_in_use::log_refusal(const acquisition& c, queue::reason why) const {
  const auto permits = c.wanted().permits;
  const auto log = [&](const std::string& fault) {
    around_.core().log(log_level::error,
                       name().given + ": " + std::to_string(permits) + " permits " + fault);
  };
  const auto& options = around_.core().options();
  if (why == queue::reason::budget_exhausted && !driver_.state().fits_budget(permits))
    log("take " + std::to_string(permits * entry_bytes_of(name(), options)) +
        " bytes of node paths, max_path_bytes is " + std::to_string(options.max_path_bytes));
  const auto most = most_permits_of(name(), options);
  if (why == queue::reason::too_many_permits && permits > most)
    log("do not fit into one transaction: with this path and access list " + std::to_string(most) +
        " do");
}

// Calls `acquire_options::queued` of the acquisitions that still wait once their position is known.
void lock_in_use::report_positions() {
  for (const auto& c : std::exchange(position_waiters_, {})) {
    if (c->current() != acquisition::phase::waiting) continue;
    if (const auto ahead = tickets_.count_ahead(*c))
      around_.core().call_program(
          [queued = std::exchange(c->more()->queued, nullptr), count = *ahead] { queued(count); });
    else
      position_waiters_.push_back(c);
  }
}

} // namespace zklock::detail
