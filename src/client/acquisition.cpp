#include "client/acquisition.hpp"

#include "client/check_timing.hpp"
#include "client/lock_counters.hpp"
#include "client/lock_line.hpp"
#include "client/lock_mode.hpp"
#include "client/node_path.hpp"
#include "client/query.hpp"
#include "client/reserved_room.hpp"
#include "client/transaction_size.hpp"
#include "queue/lock_policy.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
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

queue::lock_mode mode_of(const lock_request& wanted, const acquisition::extras* more) noexcept {
  auto mode = mode_of(wanted);
  mode.has_room = more && !more->room.expired();
  return mode;
}

} // namespace

acquisition::acquisition(acquisition_surroundings& around, lock_request wanted,
                         handler<acquire_signature> handler, bool may_keep,
                         std::unique_ptr<extras> more)
    : line_member(mode_of(wanted, more.get()), may_keep && !more),
      around_(around),
      client_(std::move(wanted.client)),
      path_(std::move(wanted.path)),
      more_(std::move(more)),
      may_keep_(may_keep),
      waiter_(std::move(handler), core().executor()) {}

// The session's validity is read before the phase: a hold that stands afterwards has not lost its
// session, so the validity is not of the next session.
hold_state acquisition::state() const noexcept {
  const bool certain = session().proven_now();
  if (current() != phase::held || core().gone()) return hold_state::lost;
  return certain ? hold_state::held : hold_state::in_doubt;
}

bool acquisition::is_proven() const noexcept {
  return session().proven_now();
}

bool acquisition::take_room() {
  const auto room = more_->room.lock();
  return room && room->take(wanted().permits * entry_bytes_of(*path_, core().options()));
}

void acquisition::counts_in(lock_counters& locks) noexcept {
  if (is_counted_) counters_->leaves();
  counters_ = &locks;
  is_counted_ = true;
  locks.waits();
}

void acquisition::granted_fast(const grant& by, time_point now) noexcept {
  by_ = by;
  const auto called = std::exchange(since, now);
  if (std::exchange(is_counted_, false))
    counters_->granted_fast(now - called);
  else
    counters_->granted_at_once();
  phase_.store(phase::held, std::memory_order_release);
}

void acquisition::complete_fast() {
  waiter_.post_by(core().later(), {}, hold_access::make(shared_from_this()));
}

void acquisition::ended_fast(time_point now) noexcept {
  counters_->released_fast(now - since);
  phase_.store(phase::ended, std::memory_order_release);
}

void acquisition::granted(const grant& by) {
  by_ = by;
  const auto now = std::chrono::steady_clock::now();
  const auto called = std::exchange(since, now);
  is_counted_ = false;
  counters_->granted(now - called, by.turn != 0);
  if (more_ && more_->hold_limit < time_point::max() - now) {
    more_->end = now + more_->hold_limit;
    path_->acquisitions->set_hold_limit(*this, more_->end);
    around_.on_limited(*this);
  }
  phase_.store(phase::held, std::memory_order_release);
  if (observed()) observed()->granted(token());
  complete({}, hold_access::make(shared_from_this()));
}

void acquisition::downgraded(queue::reason why) {
  downgraded(to_error(why));
}

void acquisition::refused(queue::reason why) {
  around_.on_refused(*this, why);
  leave_lock();
  refuse(to_error(why));
  forget({});
}

void acquisition::lost(queue::reason why) {
  leave_lock();
  lose(to_error(why));
  forget({});
}

void acquisition::forgotten(queue::reason why) {
  leave_lock();
  forget(to_error(why));
}

void acquisition::leave_lock() noexcept {
  if (owner() != 0) around_.on_left(*this);
}

// The observer is told before the handler runs.
void acquisition::complete(operation<error_code> released) {
  if (!observed()) return released->post(forgotten_result_);
  core().call_program([op = std::move(released), result = forgotten_result_] { op->post(result); });
}

void acquisition::complete(error_code why, hold held) {
  if (!observed()) return waiter_.post_by(core().later(), why, std::move(held));
  core().call_program([self = shared_from_this(), why, held = std::move(held)]() mutable {
    self->waiter_.post_by(self->core().later(), why, std::move(held));
  });
}

void acquisition::grant_shared(const std::shared_ptr<acquisition>& held) {
  held->share();
  is_counted_ = false;
  counters_->reentered();
  phase_.store(phase::ended, std::memory_order_release);
  if (observed()) observed()->reentered();
  more_->holder = held;
  complete({}, hold_access::make(shared_from_this()));
}

std::string acquisition::node() const {
  return node(0);
}

std::string acquisition::node(std::uint32_t index) const {
  std::string path;
  if (by_.permits != 0) {
    append_permit_path(path, path_->permits, by_.session, by_.entry, index);
  } else {
    const bool reads = reads_.load(std::memory_order_acquire);
    const auto label = policy_of(path_->kind).label(reads ? queue::role::shared : by_.wants);
    append_entry_path(path, path_->line, by_.session, by_.entry, label, by_.number);
  }
  return path;
}

logged_hold acquisition::logged() const {
  return {.lock = *path_, .node = node(), .token = token(), .since = since};
}

queue::lock_mode acquisition::held() const noexcept {
  const bool reads = downgrading_ || reads_.load(std::memory_order_relaxed);
  return {.wants = reads ? queue::role::shared : wanted().wants, .permits = wanted().permits};
}

void acquisition::downgraded(error_code result) {
  downgrading_ = false;
  if (!result) reads_.store(true, std::memory_order_release);
  // The new node has data versions of its own.
  if (!result && attention_) attention_->requests_until = 0;
  if (const auto op = std::exchange(downgrade_, nullptr)) op->post(result);
}

// All holds of an owner share an acquisition: a downgrade would turn each of them into a reader's
// hold.
error_code acquisition::when_downgraded(operation<error_code> op) {
  const bool writes =
      wanted().wants == queue::role::exclusive && path_->kind == lock_kind::shared && !reads_;
  if (!writes || downgrade_) return errc::not_a_writer;
  if (current() != phase::held) return why_over();
  if (shares_ > 1 && !downgrading_) return errc::downgrade_refused;
  downgrading_ = true;
  downgrade_ = std::move(op);
  return {};
}

void acquisition::forget(error_code result) {
  forgotten_ = true;
  forgotten_result_ = result;
  if (auto op = std::exchange(release_, nullptr)) complete(std::move(op));
}

void acquisition::when_forgotten(operation<error_code> op) {
  if (forgotten_)
    complete(std::move(op));
  else
    release_ = std::move(op);
}

void acquisition::when_lost(operation<error_code, error_code> op) {
  if (current() == phase::lost)
    op->post({}, lost_why_);
  else if (current() == phase::ended)
    op->post(asio::error::operation_aborted, {});
  else
    attend().losses.push_back(std::move(op));
}

// A body no longer relies on a hold whose release has begun. As in `state`, the session's validity
// is read before the phase.
acquisition::body_end acquisition::end_of_body() noexcept {
  constexpr auto never = boot_clock::time_point::max();
  constexpr auto at_once = boot_clock::time_point::min();
  const auto until = session().proven_until();
  const acquisition& c = holder();
  if (is_released() || c.current() == phase::ended) return {never, {}};
  if (c.current() == phase::lost) return {at_once, c.lost_why_};
  if (core().gone()) return {at_once, errc::closed};
  const auto timeout = session().timeout();
  body_end first{until == until.min() ? at_once : until - check_timing::margin(timeout),
                 errc::in_doubt};
  if (!c.more_ || c.more_->end == time_point::max()) return first;
  const auto margin = std::min<time_point::duration>(c.more_->hold_limit, timeout) / 10;
  const auto left = c.more_->end - margin - std::chrono::steady_clock::now();
  if (const auto limit = boot_clock::now() + left; limit < first.time)
    first = {limit, errc::hold_limit_reached};
  return first;
}

void acquisition::watch_body(std::weak_ptr<boot_timer> body) {
  auto& bodies = attend().bodies;
  std::erase_if(bodies, [](const auto& each) { return each.expired(); });
  bodies.push_back(std::move(body));
  if (current() != phase::held) hurry_bodies();
}

void acquisition::hurry_bodies() {
  if (!attention_) return;
  for (const auto& each : attention_->bodies)
    if (const auto found = each.lock()) found->expired();
}

void acquisition::cancel(const operation<error_code>& op) {
  if (op == downgrade_)
    downgrade_ = nullptr;
  else if (op == release_)
    release_ = nullptr;
  else
    return;
  op->post(asio::error::operation_aborted);
}

void acquisition::cancel(const operation<error_code, error_code>& op) {
  if (attention_ && std::erase(attention_->losses, op) != 0)
    op->post(asio::error::operation_aborted, {});
}

bool acquisition::watch_over(const std::shared_ptr<query>& added) {
  if (current() != phase::held) return false;
  auto& queries = attend().queries;
  std::erase_if(queries, [](const auto& each) { return each.expired(); });
  queries.push_back(added);
  return true;
}

bool acquisition::note_request(std::int32_t version) noexcept {
  if (!attention_ || version <= attention_->requests_until) return false;
  attention_->requests_until = version;
  counters_->release_requested();
  return true;
}

error_code acquisition::why_over() const noexcept {
  return current() == phase::lost ? lost_why_ : error_code(asio::error::operation_aborted);
}

void acquisition::refuse(error_code why) {
  if (current() != phase::waiting) return;
  not_granted(why);
  complete(why, {});
}

void acquisition::lose(error_code why) {
  if (current() != phase::held) return;
  hold_lost(why);
  // The program closes its client on purpose.
  if (why != make_error_code(errc::closed)) log_lost(core(), session(), logged(), why);
  downgraded(why);
  complete_losses({}, why);
  hurry_bodies();
  end_queries(why);
}

void acquisition::end() {
  if (current() == phase::lost) return;
  counters_->released(std::chrono::steady_clock::now() - since);
  phase_.store(phase::ended, std::memory_order_release);
  if (observed()) observed()->released();
  downgraded(asio::error::operation_aborted);
  complete_losses(asio::error::operation_aborted, {});
  end_queries(asio::error::operation_aborted);
}

void acquisition::drop() noexcept {
  // The observation's destructor tells the observer of the end, and drops exceptions.
  if (more_) more_->observed = nullptr;
  const auto was = current();
  if (was == phase::held) hold_lost(errc::closed);
  if (was == phase::waiting) not_granted(errc::closed);
  // Destroying a handler may destroy any object, also this acquisition's other handlers.
  const auto self = shared_from_this();
  const auto release = std::exchange(release_, nullptr);
  const auto downgrade = std::exchange(downgrade_, nullptr);
  const auto last = std::exchange(attention_, nullptr);
  if (release) release->drop();
  if (downgrade) downgrade->drop();
  if (last)
    for (const auto& op : last->losses)
      op->drop();
  // The context's own bodies are destroyed with it.
  const auto& context = core().context();
  if (last)
    for (const auto& each : last->bodies)
      if (const auto body = each.lock(); body && &body->context() != &context) body->expired();
  waiter_.drop();
}

// An acquisition may be cancelled or refused before a lock counts it.
void acquisition::not_granted(error_code why) {
  if (!is_counted_) counts_in(around_.uncounted());
  is_counted_ = false;
  counters_->refused(why);
  phase_.store(phase::ended, std::memory_order_release);
  if (observed()) observed()->not_granted(why);
}

void acquisition::hold_lost(error_code why) {
  counters_->lost(why, std::chrono::steady_clock::now() - since);
  lost_why_ = why;
  phase_.store(phase::lost, std::memory_order_release);
  if (observed()) observed()->lost(why);
}

void acquisition::end_queries(error_code why) {
  if (!attention_) return;
  for (const auto& each : std::exchange(attention_->queries, {}))
    if (const auto found = each.lock()) found->fail(why);
}

void acquisition::complete_losses(error_code result, error_code why) {
  if (!attention_) return;
  for (const auto& op : std::exchange(attention_->losses, {}))
    op->post(result, why);
}

} // namespace zklock::detail
