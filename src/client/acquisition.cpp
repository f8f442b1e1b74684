#include "client/acquisition.hpp"

#include "client/lock_counters.hpp"
#include "client/lock_line.hpp"
#include "client/session_room.hpp"
#include "client/stop_watch.hpp"
#include "client/transaction_size.hpp"
#include "queue/lock_policy.hpp"

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
  if (more) {
    mode.identity = more->identity;
    mode.has_room = !more->room.expired();
  }
  return mode;
}

} // namespace

acquisition::acquisition(lock_surroundings& around, lock_request wanted,
                         handler<acquire_signature> handler, std::unique_ptr<extras> more)
    : line_member(mode_of(wanted, more.get()), !more),
      around_(around),
      client_(std::move(wanted.client)),
      path_(std::move(wanted.path)),
      more_(std::move(more)),
      waiter_(std::move(handler), core().executor()) {}

acquisition::~acquisition() {
  delete stops_.load();
}

std::shared_ptr<stop_watch> acquisition::stops() const noexcept {
  const auto* const made = stops_.load(std::memory_order_acquire);
  return made ? *made : nullptr;
}

bool acquisition::make_stops() {
  if (stops_.load(std::memory_order_acquire)) return false;
  auto made = std::make_unique<const std::shared_ptr<stop_watch>>(
      std::make_shared<stop_watch>(shared_from_this()));
  const std::shared_ptr<stop_watch>* none = nullptr;
  if (!stops_.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) return false;
  made.release();
  return true;
}

// The session's validity is read before the phase: a hold that stands afterwards has not lost its
// session, so the validity is not of the next session.
hold_state acquisition::state() const noexcept {
  const bool certain = session().proven_now();
  if (current() != phase::held || core().gone()) return hold_state::lost;
  return certain ? hold_state::held : hold_state::in_doubt;
}

bool acquisition::is_proven() const noexcept {
  return session().connected() && session().may_begin_body();
}

bool acquisition::take_room() {
  const auto room = more_->room.lock();
  return room && room->take(wanted().permits * entry_bytes_of(*path_, core().options()));
}

void acquisition::counts_in(lock_counters& locks) noexcept {
  if (counters_) counters_->leaves();
  counters_ = &locks;
  locks.waits();
}

void acquisition::granted_fast(const grant& by, time_point now) noexcept {
  entry_.set(by);
  const auto called = std::exchange(since, now);
  // Set as soon as the acquisition waits.
  if (called != time_point())
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
  entry_.set(by);
  const auto now = std::chrono::steady_clock::now();
  const auto called = std::exchange(since, now);
  counters_->granted(now - called, by.turn != 0);
  if (more_ && more_->hold_limit < time_point::max() - now) {
    more_->end = now + more_->hold_limit;
    path_->acquisitions->set_hold_limit(*this, more_->end);
    around_.on_limited(*this);
  }
  phase_.store(phase::held, std::memory_order_release);
  if (observed()) observed()->granted(entry_.token());
  if (by.is_misnamed) around_.on_misnamed(*this);
  complete({}, hold_access::make(shared_from_this()));
}

void acquisition::downgraded(queue::reason why) {
  if (why == queue::reason::none) entry_.become_reader();
  waits_.end_downgrade(to_error(why));
}

void acquisition::refused(queue::reason why) {
  around_.on_left(*this, why);
  refuse(to_error(why));
  forget({});
}

void acquisition::lost(queue::reason why) {
  around_.on_left(*this, why);
  lose(to_error(why));
  forget({});
}

void acquisition::forgotten(queue::reason why) {
  around_.on_left(*this, why);
  forget(to_error(why));
}

// The observer is told before the handler runs.
void acquisition::complete(error_code why, hold held) {
  if (answers && why == errc::busy) why = {};
  if (!observed()) return waiter_.post_by(core().later(), why, std::move(held));
  core().call_program([self = shared_from_this(), why, held = std::move(held)]() mutable {
    self->waiter_.post_by(self->core().later(), why, std::move(held));
  });
}

void acquisition::grant_shared(const std::shared_ptr<acquisition>& held) {
  held->release().share();
  counters_->reentered();
  phase_.store(phase::ended, std::memory_order_release);
  if (observed()) observed()->reentered();
  more_->holder = held;
  complete({}, hold_access::make(shared_from_this()));
}

queue::lock_mode acquisition::held() const noexcept {
  const bool reads = waits_.is_downgrading() || entry_.role() == queue::role::shared;
  return {.wants = reads ? queue::role::shared : wanted().wants, .permits = wanted().permits};
}

// All holds of an owner share an acquisition: a downgrade would turn each of them into a reader's
// hold.
error_code acquisition::begin_downgrade(operation<error_code> op) {
  const bool writes = wanted().wants == queue::role::exclusive &&
                      path_->kind == lock_kind::shared && entry_.role() != queue::role::shared;
  if (!writes || waits_.awaits_downgrade()) return errc::not_a_writer;
  if (current() != phase::held) return why_over();
  if (release_.is_shared() && !waits_.is_downgrading()) return errc::downgrade_refused;
  waits_.begin_downgrade(std::move(op));
  return {};
}

void acquisition::forget(error_code result) {
  release_.forget(result);
  auto op = release_.take();
  if (!op) return;
  if (!observed()) return op->post(result);
  core().call_program([op = std::move(op), result] { op->post(result); });
}

bool acquisition::note_request(std::int32_t version) {
  if (version <= waits_.requests_until()) return false;
  waits_.set_requests_until(version);
  counters_->release_requested();
  return true;
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
  if (why != make_error_code(errc::closed)) log_lost(core(), session(), logged(*this), why);
  waits_.end_downgrade(why);
  waits_.end({}, why);
}

void acquisition::end(operation<error_code> op) {
  if (current() != phase::lost) {
    counters_->released(std::chrono::steady_clock::now() - since);
    phase_.store(phase::ended, std::memory_order_release);
    if (observed()) observed()->released();
    waits_.end_downgrade(asio::error::operation_aborted);
    waits_.end(asio::error::operation_aborted, {});
  }
  release_.wait(std::move(op));
  if (release_.is_forgotten()) forget(release_.result());
}

void acquisition::drop() noexcept {
  // The observation's destructor tells the observer of the end, and drops exceptions.
  if (more_) more_->observed = nullptr;
  const auto was = current();
  if (was == phase::held) hold_lost(errc::closed);
  if (was == phase::waiting) not_granted(errc::closed);
  // Destroying a handler may destroy any object, also this acquisition's other handlers.
  const auto self = shared_from_this();
  if (const auto op = release_.take()) op->drop();
  waits_.drop(core().context());
  waiter_.drop();
}

// An acquisition may be cancelled or refused before a lock counts it.
void acquisition::not_granted(error_code why) {
  if (!counters_) counts_in(around_.uncounted());
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

logged_hold logged(const acquisition& c) {
  return {.lock = *c.path(), .node = c.node(), .token = c.entry().token(), .since = c.since};
}

} // namespace zklock::detail
