#include "client/lock_calls.hpp"

#include "client/identity.hpp"
#include "client/identity_write.hpp"
#include "client/lock_in_use.hpp"
#include "client/lock_line.hpp"
#include "client/stop_watch.hpp"
#include "client/transaction_size.hpp"

#include <boost/asio/error.hpp>

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
  const auto& identity = c.wanted().identity;
  if (identity && !fault_of_identity(*identity).empty()) return errc::bad_identity;
  return {};
}

void log_fault(const acquisition& c, std::string_view identity) {
  c.core().log(log_level::error, c.path()->given + ": " + fault_of_identity(identity));
}

// The timer of a body on its way to the strand. If the strand is gone, the destructor has the timer
// expire, unless the body goes with the strand's context.
class unwatched_body {
 public:
  unwatched_body(const asio::execution_context& client, boot_timer_link body) noexcept
      : context_(&client), body_(std::move(body)) {}
  unwatched_body(unwatched_body&&) noexcept = default;
  unwatched_body& operator=(unwatched_body&&) = delete;
  ~unwatched_body() {
    if (!body_.is_broken()) body_.hold_lost_with(*context_);
  }

  boot_timer_link arrived() noexcept { return std::move(body_); }

 private:
  const asio::execution_context* context_;
  boot_timer_link body_;
};

// Calls a function on the strand with the acquisition and the operation when the operation is
// cancelled.
template <class Operation, class Function>
void when_cancelled(const std::shared_ptr<acquisition>& c, const Operation& op, Function cancel) {
  on_cancellation(op->slot(), op, [c = std::weak_ptr(c), cancel](const auto& pending, auto) {
    if (const auto found = c.lock())
      found->core().run([found, pending, cancel] { cancel(*found, pending); });
  });
}

// The timer of a released hold would keep its context busy.
void end_stop_watch(const acquisition& c) {
  if (const auto watch = c.stops()) watch->look();
}

} // namespace

void lock_calls::start(const lock_request& wanted, const owned_options& owned,
                       handler<acquire_signature> handler, std::shared_ptr<observation> observed,
                       std::weak_ptr<reserved_room> room, bool answers) {
  const auto& options = owned.view();
  std::shared_ptr<acquisition> immediate;
  {
    const auto here = core_.enter();
    if (!here) return end_without_context(std::move(handler));
    auto identity = own_identity(core_.options(), options.identity);
    std::unique_ptr<acquisition::extras> more;
    auto queued = owned.queued();
    if (options.hold_limit != options.hold_limit.max() || options.owner || queued || identity ||
        observed || !options.cache || !room.expired())
      more = std::make_unique<acquisition::extras>(
          acquisition::extras{.hold_limit = options.hold_limit,
                              .owner = options.owner ? options.owner->id() : 0,
                              .cache = options.cache,
                              .identity = std::move(identity),
                              .queued = std::move(queued),
                              .observed = std::move(observed),
                              .room = std::move(room)});
    const auto c = make_recycled<acquisition>(lines_, wanted, std::move(handler), std::move(more));
    c->answers = answers;
    if (begin(c, options.timeout.left())) immediate = c;
  }
  // The handler may run now. It may destroy the execution context, so no thread is inside.
  if (immediate) immediate->waiter().complete_at_once({}, hold_access::make(immediate));
}

// Returns whether the caller must complete the acquire at once. The acquisition may be granted in
// another thread as soon as it is in line, so its slot is connected before.
bool lock_calls::begin(const std::shared_ptr<acquisition>& c,
                       std::chrono::nanoseconds timeout) noexcept {
  if (const auto fault = fault_of(*c, timeout)) {
    core_.run_inside([c, fault] {
      if (fault == errc::bad_identity) log_fault(*c, *c->wanted().identity);
      c->refuse(fault);
    });
    return false;
  }
  auto& line = *c->path()->acquisitions;
  if (line.grant_fast(*c)) {
    lines_.cached().counter().note_used();
    if (c->waiter().is_immediate()) return true;
    c->complete_fast();
    return false;
  }
  on_cancellation(c->waiter().slot(), c, [](const auto& found, auto) {
    found->core().run(
        [found] { found->client()->lines_.give_up(*found, asio::error::operation_aborted); });
  });
  c->since = std::chrono::steady_clock::now();
  c->trying = timeout == timeout.zero();
  c->deadline = deadline_of(c->trying ? core_.options().connect_timeout : timeout, c->since);
  if (line.wait(c)) core_.run_inside([this, lock = c->path()] { look(lock); });
  return false;
}

// The look calls the program's label function, which must not run inside a call of the program.
void lock_calls::look(const std::shared_ptr<const lock_definition>& lock) {
  if (!core_.options().label || !core_.strand().running_alone()) return lines_.look(lock);
  core_.post([this, lock] { lines_.look(lock); });
}

void lock_calls::release(std::shared_ptr<acquisition> c, operation<error_code> op) {
  end_stop_watch(*c);
  if (end_fast(*c)) return op->post({});
  when_cancelled(c->holder().shared_from_this(), op,
                 [](acquisition& held, const auto& pending) { held.release().cancel(pending); });
  core_.run([this, c = std::move(c), op = std::move(op)] { release_on_strand(c->holder(), op); });
}

void lock_calls::release(std::shared_ptr<acquisition> c) noexcept {
  const auto here = core_.enter();
  if (!here) return c->path()->acquisitions->keep_alive(c);
  end_stop_watch(*c);
  if (end_fast(*c)) return;
  core_.run_inside([this, c = std::move(c)] { release_on_strand(c->holder(), nullptr); });
}

// Returns whether the hold has ended without the strand.
bool lock_calls::end_fast(acquisition& c) {
  const auto ended = c.path()->acquisitions->release_fast(c);
  if (!ended.is_done) return false;
  lines_.cached().counter().note_unused();
  if (!ended.next) return true;
  lines_.cached().counter().note_used();
  ended.next->complete_fast();
  return true;
}

// While the release was on its way to the strand, the line may have been opened for the entry.
void lock_calls::release_on_strand(acquisition& c, const operation<error_code>& op) {
  if (end_fast(c)) {
    if (op) op->post({});
    return;
  }
  if (!c.release().unshare()) {
    // The owner has another hold.
    if (op) op->post({});
    return;
  }
  c.end(op);
  if (lock_in_use* const used = c.release().is_forgotten() ? nullptr : lines_.locks().find(c))
    used->release(c);
}

void lock_calls::downgrade(std::shared_ptr<acquisition> c, operation<error_code> op) {
  when_cancelled(c, op, [](acquisition& held, const auto& pending) {
    held.waits().cancel_downgrade(pending);
  });
  core_.run([this, c = std::move(c), op = std::move(op)] {
    end_on_strand(*c);
    lock_in_use* const used = lines_.locks().find(*c);
    if (const auto why = c->begin_downgrade(op))
      op->post(why);
    else if (used)
      used->downgrade(*c);
  });
}

// The queue has the identity from now on: a downgrade creates a node with the identity, and the
// entry is not used again.
void lock_calls::set_identity(std::shared_ptr<acquisition> c, const std::string& identity,
                              operation<error_code> op) {
  if (!fault_of_identity(identity).empty())
    return core_.run_inside([c = std::move(c), identity, op = std::move(op)] {
      log_fault(*c, identity);
      op->post(errc::bad_identity);
    });
  when_cancelled(
      c, op, [](acquisition& held, const auto& pending) { held.waits().cancel_identity(pending); });
  core_.run([this, c = std::move(c), wanted = own_identity(core_.options(), identity),
             op = std::move(op)] {
    end_on_strand(*c);
    if (c->current() != acquisition::phase::held) return op->post(c->why_over());
    if (lock_in_use* const used = lines_.locks().find(*c)) used->set_identity(*c, wanted);
    if (c->current() == acquisition::phase::held) write_identity(queries_, *c, wanted, op);
  });
}

void lock_calls::wait_lost(std::shared_ptr<acquisition> c, operation<error_code, error_code> op) {
  when_cancelled(c, op,
                 [](acquisition& held, const auto& pending) { held.waits().cancel(pending); });
  core_.run([c = std::move(c), op = std::move(op)] {
    end_on_strand(*c);
    if (c->current() == acquisition::phase::lost)
      op->post({}, c->why_over());
    else if (c->current() == acquisition::phase::ended)
      op->post(c->why_over(), {});
    else
      c->waits().add(op);
  });
}

void lock_calls::watch_body(std::shared_ptr<acquisition> c, boot_timer_link body) {
  core_.run(
      [c = std::move(c), on_its_way = unwatched_body(core_.context(), std::move(body))]() mutable {
        end_on_strand(*c);
        c->waits().add(on_its_way.arrived());
        if (c->current() != acquisition::phase::held) c->waits().hurry_bodies();
      });
}

std::stop_token lock_calls::stop_token(const std::shared_ptr<acquisition>& c) {
  const auto here = core_.enter();
  if (!here) {
    std::stop_source stopped;
    stopped.request_stop();
    return stopped.get_token();
  }
  if (c->make_stops()) {
    watch_body(c->holder().shared_from_this(), boot_timer_link(c->stops()));
    c->stops()->look();
  }
  return c->stops()->token();
}

void lock_calls::reserve(std::vector<lock_request> wanted, std::uint64_t owner,
                         std::chrono::nanoseconds timeout, handler<room_signature> handler) {
  const auto here = core_.enter();
  if (!here) return end_without_context(std::move(handler));
  const auto op = std::make_shared<session_room::operation_type::element_type>(std::move(handler),
                                                                               core_.executor());
  // The caller cancels on the strand on which it calls `reserve`, so the claim is added before it
  // is cancelled.
  on_cancellation(op->slot(), op, [weak = core_.client(), this](const auto& pending, auto) {
    if (const auto client = weak.lock())
      core_.run([this, pending] {
        lines_.locks().room().give_up(pending, asio::error::operation_aborted);
      });
  });
  core_.run([this, wanted = std::move(wanted), owner, timeout, op] {
    if (const auto why = session_.why_over()) return op->post(*why, nullptr);
    lines_.locks().room().reserve(bytes_of(wanted, owner), timeout, op);
  });
}

std::size_t lock_calls::bytes_of(const std::vector<lock_request>& wanted, std::uint64_t owner) {
  std::size_t bytes = 0;
  for (const auto& each : wanted) {
    lock_in_use* const used = owner == 0 ? nullptr : lines_.locks().table().find(each.path->line);
    if (!used || !used->owners().holds(owner))
      bytes += mode_of(each).permits * entry_bytes_of(*each.path, core_.options());
  }
  return bytes;
}

std::shared_ptr<observation> observe(const lock_request& wanted, std::chrono::nanoseconds timeout) {
  return observation::start(core_of(wanted.client), wanted, timeout);
}

void end_on_strand(acquisition& c) noexcept {
  c.path()->acquisitions->end_on_strand(c);
}

} // namespace zklock::detail
