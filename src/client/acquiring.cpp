// The start of an acquire, and its end before it is granted.

#include "client/client_impl.hpp"
#include "client/kept_entry.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace zklock::detail {

namespace {

error_code fault_of(const acquisition& c, std::chrono::nanoseconds timeout) noexcept {
  const auto zero = timeout.zero();
  if (timeout < zero || (c.more() && c.more()->hold_limit <= zero)) return errc::bad_timeout;
  if (c.wanted().permits == 0) return errc::bad_permits;
  return {};
}

} // namespace

void client_impl::acquire(const lock_request& wanted, const acquire_options& options,
                          handler<acquire_signature> handler,
                          std::unique_ptr<observation> observed) {
  if (gone()) return end_without_context(std::move(handler));
  std::unique_ptr<acquisition::extras> more;
  if (options.hold_limit != options.hold_limit.max() || options.by || options.queued || observed)
    more = std::make_unique<acquisition::extras>(
        acquisition::extras{.hold_limit = options.hold_limit,
                            .owner = options.by ? options.by->id() : 0,
                            .queued = options.queued,
                            .observed = std::move(observed)});
  const auto c =
      make_recycled<acquisition>(wanted, std::move(handler), options.keep, std::move(more));
  if (grant_kept(*c, options)) return c->complete_kept();
  on_cancellation(c->waiter().slot(), c, [](const auto& found, auto) {
    found->client()->run(
        [found] { found->client()->give_up(*found, asio::error::operation_aborted); });
  });
  run([this, c, timeout = options.timeout, now = std::chrono::steady_clock::now()] {
    start(c, timeout, now);
  });
}

// It is asked before the entry is granted: where the session ends in between, the strand has taken
// the entry back, and the grant fails.
bool client_impl::grant_kept(acquisition& to, const acquire_options& options) noexcept {
  if (!to.path()->kept || to.more() || !options.keep || options.timeout < options.timeout.zero())
    return false;
  const bool granted = to.path()->kept->grant(to, [this] { return proven_now(); });
  if (granted) kept_is_used();
  return granted;
}

void client_impl::start(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout,
                        acquisition::time_point called) {
  // It was cancelled before it reached the strand.
  if (c->current() != acquisition::phase::waiting) return;
  if (over_) return c->refuse(*over_);
  if (const auto fault = fault_of(*c, timeout)) return c->refuse(fault);
  lock_in_use* const place = locks_.use(c->path());
  if (!place && !locks_.clear_way(*c->path())) return c->refuse(errc::lock_type_mismatch);
  c->count_in(place ? place->counters() : counters_.unlabelled());
  using sharing = lock_in_use::sharing;
  const auto found = c->owner() == 0 || !place ? sharing::none : place->share(c);
  if (found == sharing::done) return;
  c->since = called;
  c->trying = timeout == timeout.zero();
  if (c->trying) timeout = options_.connect_timeout;
  if (timeout < acquisition::time_point::max() - called) {
    c->deadline = called + timeout;
    deadlines_.add(*c);
  }
  if (!place || found == sharing::unproven)
    reentrant_.add(c);
  else
    locks_.start(c, *place);
}

void client_impl::give_up(acquisition& c, error_code why) {
  if (c.current() != acquisition::phase::waiting) return;
  deadlines::remove(c);
  c.refuse(why);
  if (c.in)
    c.in->release(c);
  else
    reentrant_.look();
}

} // namespace zklock::detail
