// How an acquire begins.

#include "client/client_state.hpp"
#include "lock/transaction_size.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

constexpr queue::exclusive_rule exclusive;
constexpr queue::shared_rule shared;

// The paths by which a lock may meet another one.
std::vector<std::string_view> names_of(const lock_definition& path) {
  if (path.kind != lock_kind::semaphore) return {path.full};
  return {path.full, path.line, path.permits};
}

// Whether two locks have the same path, or nodes in the same directory.
bool clash(const lock_definition& a, const lock_definition& b) noexcept {
  return a.full == b.full || a.line == b.line || a.line == b.permits || a.permits == b.line ||
         a.permits == b.permits;
}

} // namespace

void client_state::acquire(const lock_request& wanted, const acquire_options& options,
                           handler<acquire_signature> handler) {
  if (gone()) return end_without_context(std::move(handler));
  std::unique_ptr<acquisition::extras> more;
  if (options.hold_limit != options.hold_limit.max() || options.by || options.queued)
    more = std::make_unique<acquisition::extras>(
        acquisition::extras{.hold_limit = options.hold_limit,
                            .owner = options.by ? options.by->id() : 0,
                            .queued = options.queued});
  const auto c = make_recycled<acquisition>(wanted, std::move(handler), std::move(more));
  if (auto slot = c->waiter().slot(); slot.is_connected())
    slot.assign([c = std::weak_ptr(c)](asio::cancellation_type type) {
      const auto found = c.lock();
      if (!found || type == asio::cancellation_type::none) return;
      found->client()->run(
          [found] { found->client()->give_up(*found, asio::error::operation_aborted); });
    });
  run([this, c, timeout = options.timeout, now = timer::clock_type::now()] {
    start(c, timeout, now);
  });
}

error_code client_state::fault_of(const acquisition& c,
                                  std::chrono::nanoseconds timeout) const noexcept {
  if (over_) return *over_;
  const auto zero = timeout.zero();
  if (timeout < zero || (c.more() && c.more()->hold_limit <= zero)) return errc::bad_timeout;
  if (c.wanted().permits == 0) return errc::bad_permits;
  return {};
}

void client_state::start(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout,
                         time_point called) {
  // Cancelled before it came here.
  if (c->current() != acquisition::phase::waiting) return;
  if (const auto fault = fault_of(*c, timeout)) return c->refuse(fault);
  directory* const place = directory_of(c->path());
  if (!place) return c->refuse(errc::lock_type_mismatch);
  using sharing = directory::sharing;
  const auto found = c->owner() == 0 ? sharing::none : place->share(c);
  if (found == sharing::done) return;
  c->trying = timeout == timeout.zero();
  if (c->trying) timeout = options_.connect_timeout;
  if (timeout < time_point::max() - called) {
    c->deadline = called + timeout;
    deadlines_.add(*c);
    wait_for_deadline();
  }
  if (found == sharing::unproven)
    sharers_.push_back(c);
  else
    enter(c, *place);
}

void client_state::enter(const std::shared_ptr<acquisition>& c, directory& place) {
  c->id = ++last_acquisition_;
  c->in = &place;
  place.start(c);
}

// Null where the client uses the path as another kind of lock.
directory* client_state::directory_of(const std::shared_ptr<const lock_definition>& path) {
  const auto known = directories_.find(path->line);
  if (known != directories_.end() && known->second->is_for(*path)) return known->second.get();
  if (!reserve_names(*path)) return nullptr;
  // With a long chroot one entry may take all of the budget, but no more.
  const queue::settings settings{
      .window = options_.window,
      .entry_bytes = std::min(path->line.size() + entry_name_bytes, options_.owned_bytes),
      .local_handoffs = options_.local_handoffs,
      .counted = path->kind == lock_kind::semaphore,
      .most_permits = most_permits_of(*path, options_),
      .limit = path->limit};
  const queue::rule& rule =
      path->kind == lock_kind::shared ? static_cast<const queue::rule&>(shared) : exclusive;
  auto made = std::make_unique<directory>(*this, path, rule, settings, budget_, &memory_);
  directory& place = *directories_.emplace(made->path(), std::move(made)).first->second;
  place.inherit(unused_.take(place.path()));
  give_names(place);
  if (path->kind == lock_kind::semaphore) {
    watched_.emplace(place.name().permits, &place);
    if (!path->limit) watched_.emplace(place.name().limit_node, &place);
  }
  // Those that were there when the connection was made were told then.
  if (connected()) place.connected();
  return &place;
}

// Forgets the locks that are in the way and that nobody uses. Returns whether none is left. As long
// as a lock is known no other one that clashes with it becomes known, so this is asked once.
bool client_state::reserve_names(const lock_definition& path) {
  for (const auto name : names_of(path))
    for (;;) {
      const auto [begin, end] = names_.equal_range(name);
      const auto it = std::find_if(
          begin, end, [&](const auto& each) { return clash(each.second->name(), path); });
      if (it == end) break;
      if (!it->second->idle()) return false;
      forget(*it->second);
    }
  return true;
}

void client_state::give_names(directory& place) {
  for (const auto name : names_of(place.name()))
    names_.emplace(name, &place);
}

void client_state::take_names(directory& place) {
  for (const auto name : names_of(place.name())) {
    const auto [begin, end] = names_.equal_range(name);
    const auto it =
        std::find_if(begin, end, [&](const auto& each) { return each.second == &place; });
    if (it != end) names_.erase(it);
  }
}

} // namespace zklock::detail
