#include <zklock/multi_hold.hpp>
#include <zklock/with_lock.hpp>

#include "client/body_end.hpp"
#include "client/boot_timer.hpp"
#include "client/lock_calls.hpp"
#include "client/lock_log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace zklock::detail {

namespace {

using failure_signature = void(std::exception_ptr);

std::span<const hold> all_of(const hold& held) noexcept {
  return {&held, 1};
}

std::span<const hold> all_of(const multi_hold& held) noexcept {
  return held.holds();
}

// A body that runs while its holds are proven. Everything runs on its strand, so the signal is
// never emitted while the body is between two operations. The timer runs beside the body, and needs
// no other loop than the body's.
template <class Hold>
class guarded_body final : public boot_timer {
 public:
  guarded_body(const asio::any_io_executor& executor, Hold& h)
      : boot_timer(executor), strand_(asio::make_strand(executor)), held_(h) {
    for (const hold& each : all_of(h))
      relied_on_.push_back(hold_access::own_of(each));
  }

  const asio::strand<asio::any_io_executor>& strand() const noexcept { return strand_; }
  void start(asio::awaitable<void> body, handler<failure_signature> handler);
  // Why the body's result does not count.
  error_code lost() const noexcept { return lost_; }

 private:
  void expired() override {
    asio::post(strand_, [self = self()] { self->look(); });
  }

  std::shared_ptr<guarded_body> self() {
    return std::static_pointer_cast<guarded_body>(shared_from_this());
  }
  void look();
  asio::awaitable<void> run(asio::awaitable<void> body);
  asio::awaitable<void> release();
  void cancel(asio::cancellation_type type) {
    if (!done_) signal_.emit(type);
  }

  const asio::strand<asio::any_io_executor> strand_;
  Hold& held_;
  // The holds until the body has ended or is cancelled, wherever the body moves them.
  std::vector<std::shared_ptr<acquisition>> relied_on_;
  asio::cancellation_signal signal_;
  error_code unproven_;
  error_code lost_;
  boot_clock::time_point end_of_release_ = boot_clock::time_point::max();
  bool done_ = false;
};

bool is_aborted(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

// Looks again whenever the end of the body may have become earlier. It becomes later all the time:
// then the timer expires for nothing once in a while.
template <class Hold>
void guarded_body<Hold>::look() {
  if (done_) return;
  const auto now = boot_clock::now();
  auto next = end_of_release_;
  for (const auto& each : relied_on_) {
    const auto end = end_of_body(*each);
    next = std::min(next, end.time);
    if (end.time > now) continue;
    unproven_ = end.why;
    if (unproven_ == errc::in_doubt)
      log_doubt(each->core(), each->session(), logged(each->holder()));
    relied_on_.clear();
    break;
  }
  if (next <= now)
    cancel(asio::cancellation_type::terminal);
  else
    expires_at(next);
}

template <class Hold>
asio::awaitable<void> guarded_body<Hold>::run(asio::awaitable<void> body) {
  std::exception_ptr failure;
  // The grant may have waited for a loop that was blocked, or in a process that was paused.
  const bool begins = !unproven_;
  try {
    if (begins) co_await std::move(body);
  } catch (...) {
    failure = std::current_exception();
  }
  relied_on_.clear();
  // A body that has released its hold, or moved it out, has done so on purpose.
  const bool relies = held_.state() != hold_state::empty;
  const bool owned = held_.owns_lock();

  // From here on cancelling ends the wait for the release, which goes on in the background.
  co_await asio::this_coro::reset_cancellation_state();
  if (held_.state() == hold_state::held && !unproven_)
    co_await release();
  else
    held_ = Hold();

  if (failure && !(unproven_ && is_aborted(failure))) std::rethrow_exception(failure);
  if (failure || !begins || (relies && !owned))
    lost_ = unproven_ ? unproven_ : make_error_code(errc::in_doubt);
}

// If the servers do not answer, waits no longer than the hold is proven. The timer ends the wait,
// not this function: a coroutine that is cancelled between two operations begins none.
template <class Hold>
asio::awaitable<void> guarded_body<Hold>::release() {
  end_of_release_ = held_.valid_until();
  expires_at(end_of_release_);
  co_await held_.release(asio::as_tuple(asio::use_awaitable));
}

template <class Hold>
void guarded_body<Hold>::start(asio::awaitable<void> body, handler<failure_signature> handler) {
  const auto outer = make_recycled<stored_handler<std::exception_ptr>>(std::move(handler), strand_);
  on_cancellation(outer->slot(), self(), [](const auto& self, auto type) {
    asio::dispatch(self->strand_, [self, type] { self->cancel(type); });
  });
  // On the strand: a loss that is reported at once finds the body to cancel.
  asio::dispatch(strand_, [self = self(), outer, body = std::move(body)]() mutable {
    for (const auto& each : self->relied_on_)
      each->client()->watch_body(each->holder().shared_from_this(), boot_timer_link(self));
    self->look();
    auto finish = [self, outer](std::exception_ptr failure) {
      self->done_ = true;
      self->expires_at(boot_clock::time_point::max());
      outer->post(std::move(failure));
    };
    asio::co_spawn(self->strand_, self->run(std::move(body)),
                   asio::bind_cancellation_slot(self->signal_.slot(), std::move(finish)));
  });
}

template <class Hold>
asio::awaitable<error_code> guard(Hold& held, asio::awaitable<void> body) {
  const auto guarded =
      std::make_shared<guarded_body<Hold>>(co_await asio::this_coro::executor, held);
  // A named object: gcc 12 destroys temporaries of an expression that has a co_await in it twice.
  auto start = [guarded, &body](handler<failure_signature> handler) {
    guarded->start(std::move(body), std::move(handler));
  };
  co_await initiate<failure_signature>(asio::use_awaitable, guarded->strand(), std::move(start));
  co_return guarded->lost();
}

template <class Hold>
asio::awaitable<void> guard_and_throw(Hold& held, asio::awaitable<void> body) {
  if (const auto lost = co_await guard(held, std::move(body)))
    throw boost::system::system_error(lost);
}

} // namespace

asio::awaitable<void> run_while_held(hold& held, asio::awaitable<void> body) {
  return guard_and_throw(held, std::move(body));
}

asio::awaitable<void> run_while_held(multi_hold& held, asio::awaitable<void> body) {
  return guard_and_throw(held, std::move(body));
}

asio::awaitable<error_code> run_until_lost(hold& held, asio::awaitable<void> body) {
  return guard(held, std::move(body));
}

} // namespace zklock::detail
