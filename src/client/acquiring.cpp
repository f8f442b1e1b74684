// The start of an acquire, and its end before it is granted.

#include "client/client_impl.hpp"
#include "client/kept_entry.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace zklock::detail {

namespace {

using time_point = acquisition::time_point;

time_point deadline_of(std::chrono::nanoseconds timeout, time_point called) noexcept {
  return timeout < time_point::max() - called ? called + timeout : time_point::max();
}

error_code fault_of(const acquisition& c, std::chrono::nanoseconds timeout) noexcept {
  const auto zero = timeout.zero();
  if (timeout < zero || (c.more() && c.more()->hold_limit <= zero)) return errc::bad_timeout;
  if (c.wanted().permits == 0) return errc::bad_permits;
  return {};
}

} // namespace

void client_impl::acquire(const lock_request& wanted, const acquire_options& options,
                          handler<acquire_signature> handler,
                          std::shared_ptr<observation> observed) {
  const auto here = enter();
  if (!here) return end_without_context(std::move(handler));
  std::unique_ptr<acquisition::extras> more;
  if (options.hold_limit != options.hold_limit.max() || options.by || options.queued || observed)
    more = std::make_unique<acquisition::extras>(
        acquisition::extras{.hold_limit = options.hold_limit,
                            .owner = options.by ? options.by->id() : 0,
                            .queued = options.queued,
                            .observed = std::move(observed)});
  const auto c =
      make_recycled<acquisition>(wanted, std::move(handler), options.keep, std::move(more));
  try {
    begin(c, options.timeout);
  } catch (...) {
    c->waiter().disown();
    throw;
  }
}

void client_impl::begin(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout) {
  const auto& kept = c->path()->kept;
  const bool may_use_kept = kept && c->is_plain() && timeout >= timeout.zero();
  if (may_use_kept && kept->grant(*c)) return c->complete_kept();
  const auto now = std::chrono::steady_clock::now();
  on_cancellation(c->waiter().slot(), c, [](const auto& found, auto) {
    found->client()->run(
        [found] { found->client()->give_up(*found, asio::error::operation_aborted); });
  });
  // A try does not wait.
  const bool may_wait = may_use_kept && timeout != timeout.zero();
  if (may_wait && wait_for_kept(c, timeout, now)) return;
  run_inside([this, c, timeout, now] { start(c, timeout, now); });
}

// Returns whether it is granted or in line. It may be granted in another thread as soon as it is in
// line, so its slot is connected before.
bool client_impl::wait_for_kept(const std::shared_ptr<acquisition>& c,
                                std::chrono::nanoseconds timeout, time_point called) {
  using outcome = kept_entry::outcome;
  c->since = called;
  c->deadline = deadline_of(timeout, called);
  const auto result = c->path()->kept->grant_or_wait(c);
  if (result == outcome::granted) {
    c->complete_kept();
  } else if (result == outcome::in_line_with_earliest_deadline) {
    try {
      run_inside([this, c] {
        if (lock_in_use* const used = locks_.table().find(c->path()->line)) used->watch_line();
      });
    } catch (...) {
      if (c->path()->kept->leave(*c)) throw;
    }
  }
  return result != outcome::none;
}

void client_impl::start(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout,
                        time_point called) {
  // It was cancelled before it reached the strand.
  if (c->current() != acquisition::phase::waiting) return;
  // The label is asked for, which is not done inside a call of the program.
  if (options_.label && strand_->running_alone())
    return asio::post(*strand_, [self = shared_from_this(), c, timeout, called] {
      if (!self->gone()) self->start(c, timeout, called);
    });
  if (over_) return c->refuse(*over_);
  if (const auto fault = fault_of(*c, timeout)) return c->refuse(fault);
  lock_in_use* const used = locks_.use(c->path());
  if (!used && !locks_.clear_way(*c->path())) return c->refuse(errc::lock_type_mismatch);
  c->count_in(used ? used->counters() : counters_.unlabelled());
  using sharing = lock_in_use::sharing;
  const auto found = c->owner() == 0 || !used ? sharing::none : used->share(c);
  if (found == sharing::done) return;
  c->since = called;
  c->trying = timeout == timeout.zero();
  if (c->trying) timeout = options_.connect_timeout;
  c->deadline = deadline_of(timeout, called);
  if (c->deadline != time_point::max()) deadlines_.add(*c);
  if (!used || found == sharing::unproven)
    reentrant_.add(c);
  else
    locks_.start(c, *used);
}

// What waits for a kept entry may be granted in another thread until it has left the line.
void client_impl::give_up(acquisition& c, error_code why) {
  if (c.path()->kept && !c.in)
    if (lock_in_use* const used = locks_.table().find(c.path()->line)) used->leave_line(c);
  if (c.current() != acquisition::phase::waiting) return;
  deadlines::remove(c);
  c.refuse(why);
  if (c.in)
    c.in->release(c);
  else
    reentrant_.look();
}

} // namespace zklock::detail
