// The start of an acquire.

#include "client/client_impl.hpp"
#include "client/node_path.hpp"
#include "client/transaction_size.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

void client_impl::acquire(const lock_request& wanted, const acquire_options& options,
                          handler<acquire_signature> handler) {
  if (gone()) return end_without_context(std::move(handler));
  std::unique_ptr<acquisition::extras> more;
  if (options.hold_limit != options.hold_limit.max() || options.by || options.queued)
    more = std::make_unique<acquisition::extras>(
        acquisition::extras{.hold_limit = options.hold_limit,
                            .owner = options.by ? options.by->id() : 0,
                            .queued = options.queued});
  const auto c = make_recycled<acquisition>(wanted, std::move(handler), std::move(more));
  on_cancellation(c->waiter().slot(), c, [](const auto& found, auto) {
    found->client()->run(
        [found] { found->client()->give_up(*found, asio::error::operation_aborted); });
  });
  run([this, c, timeout = options.timeout, now = std::chrono::steady_clock::now()] {
    start(c, timeout, now);
  });
}

error_code client_impl::fault_of(const acquisition& c,
                                 std::chrono::nanoseconds timeout) const noexcept {
  if (over_) return *over_;
  const auto zero = timeout.zero();
  if (timeout < zero || (c.more() && c.more()->hold_limit <= zero)) return errc::bad_timeout;
  if (c.wanted().permits == 0) return errc::bad_permits;
  return {};
}

void client_impl::start(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout,
                        time_point called) {
  // It was cancelled before it reached the strand.
  if (c->current() != acquisition::phase::waiting) return;
  if (const auto fault = fault_of(*c, timeout)) return c->refuse(fault);
  lock_in_use* const place = directory_of(c->path());
  if (!place) return c->refuse(errc::lock_type_mismatch);
  using sharing = lock_in_use::sharing;
  const auto found = c->owner() == 0 ? sharing::none : place->share(c);
  if (found == sharing::done) return;
  c->trying = timeout == timeout.zero();
  if (c->trying) timeout = options_.connect_timeout;
  if (timeout < time_point::max() - called) {
    c->deadline = called + timeout;
    deadlines_.add(*c);
  }
  if (found == sharing::unproven)
    sharers_.push_back(c);
  else
    enter(c, *place);
}

void client_impl::enter(const std::shared_ptr<acquisition>& c, lock_in_use& place) {
  c->id = ++last_acquisition_;
  c->in = &place;
  place.start(c);
}

// Null where the client uses the path as another kind of lock.
lock_in_use* client_impl::directory_of(const std::shared_ptr<const lock_definition>& path) {
  lock_in_use* const known = locks_.find(path->line);
  if (known && known->is_for(*path)) return known;
  if (!make_way(*path)) return nullptr;
  // With a long chroot one entry may take all of the budget, but no more.
  const queue::settings settings{
      .window = options_.window,
      .entry_bytes = std::min(path->line.size() + entry_name_bytes, options_.owned_bytes),
      .local_handoffs = options_.local_handoffs,
      .policy = policy_of(path->kind),
      .most_permits = most_permits_of(*path, options_),
      .limit = path->limit};
  auto made = std::make_unique<lock_in_use>(*this, path, settings, budget_, &memory_);
  lock_in_use& place = locks_.add(std::move(made));
  place.driver().inherit(unused_.take(path->line));
  // `on_connected` has done this for the locks that were known then.
  if (connected()) place.driver().connected();
  return &place;
}

// Forgets the locks that are in the way and that nothing uses. Returns whether none is left. As
// long as a lock is known no other one that conflicts with it becomes known, so this is asked once.
bool client_impl::make_way(const lock_definition& path) {
  while (lock_in_use* const other = locks_.find_conflict(path)) {
    if (!other->driver().idle()) return false;
    forget(*other);
  }
  return true;
}

} // namespace zklock::detail
