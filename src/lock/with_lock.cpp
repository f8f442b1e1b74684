#include <zklock/multi_hold.hpp>
#include <zklock/with_lock.hpp>

#include "client/client_impl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstddef>
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

// A body that runs while a hold is proven. Everything runs on its strand, so the signal is never
// emitted while the body is between two operations.
template <class Hold>
struct guarded_body : std::enable_shared_from_this<guarded_body<Hold>> {
  guarded_body(const asio::any_io_executor& executor, Hold& h)
      : strand(asio::make_strand(executor)), held(h), watching(all_of(h).size()) {}

  void start(asio::awaitable<void> body, handler<failure_signature> handler);
  asio::awaitable<void> run(asio::awaitable<void> body);
  asio::awaitable<void> give_back();
  void watch();
  void cancel(asio::cancellation_type type) {
    if (!done) signal.emit(type);
  }

  asio::strand<asio::any_io_executor> strand;
  Hold& held;
  std::vector<asio::cancellation_signal> watching;
  asio::cancellation_signal signal;
  error_code unproven;
  // Why the body's result does not count.
  error_code lost;
  bool done = false;
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

template <class Hold>
void guarded_body<Hold>::watch() {
  for (std::size_t i = 0; i < watching.size(); ++i) {
    const auto& c = hold_access::acquisition_of(all_of(held)[i]);
    // The handler owns the signal that may cancel it.
    auto when_unproven = [self = this->shared_from_this()](error_code why) {
      if (why == asio::error::operation_aborted) return;
      if (!self->unproven) self->unproven = why;
      self->cancel(asio::cancellation_type::terminal);
    };
    auto bound = asio::bind_cancellation_slot(
        watching[i].slot(), asio::bind_executor(strand, std::move(when_unproven)));
    // If the client's execution context is destroyed, so is the body.
    const auto& clients = c->client()->get_executor();
    c->client()->when_unproven(c,
                               make_recycled<stored_handler<error_code>>(
                                   handler<void(error_code)>(std::move(bound), clients), clients));
  }
}

template <class Hold>
asio::awaitable<void> guarded_body<Hold>::run(asio::awaitable<void> body) {
  std::exception_ptr failure;
  try {
    co_await std::move(body);
  } catch (...) {
    failure = std::current_exception();
  }
  const auto why = unproven;
  const bool owned = held.owns_lock();
  const auto unsure = make_error_code(errc::in_doubt);

  // From here on cancelling ends the wait for the release, which goes on in the background.
  co_await asio::this_coro::reset_cancellation_state();
  if (held.state() == hold_state::held && !why)
    co_await give_back();
  else
    held = Hold();

  if (why && (!failure || is_aborted(failure)) && (failure || !owned))
    lost = why;
  else if (failure)
    std::rethrow_exception(failure);
  else if (!owned)
    lost = unsure;
}

// If the servers do not answer, waits no longer than the hold is proven.
template <class Hold>
asio::awaitable<void> guarded_body<Hold>::give_back() {
  // A hold that was lost just now has the clock's minimum: a difference would overflow.
  const auto now = boot_clock::now();
  asio::steady_timer end_of_validity(strand, std::max(held.valid_until(), now) - now);
  end_of_validity.async_wait([weak = this->weak_from_this()](error_code stopped) {
    if (const auto self = weak.lock(); self && !stopped)
      self->cancel(asio::cancellation_type::terminal);
  });
  co_await held.release(asio::as_tuple(asio::use_awaitable));
}

template <class Hold>
void guarded_body<Hold>::start(asio::awaitable<void> body, handler<failure_signature> handler) {
  const auto outer = make_recycled<stored_handler<std::exception_ptr>>(std::move(handler), strand);
  on_cancellation(outer->slot(), this->shared_from_this(), [](const auto& self, auto type) {
    asio::dispatch(self->strand, [self, type] { self->cancel(type); });
  });
  // On the strand: a loss that is reported at once finds the body to cancel.
  asio::dispatch(
      strand, [self = this->shared_from_this(), outer, body = std::move(body)]() mutable {
        self->watch();
        auto finish = [self, outer](std::exception_ptr failure) {
          self->done = true;
          for (auto& each : self->watching)
            each.emit(asio::cancellation_type::terminal);
          outer->post(std::move(failure));
        };
        asio::co_spawn(self->strand, self->run(std::move(body)),
                       asio::bind_cancellation_slot(self->signal.slot(), std::move(finish)));
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
  co_await initiate<failure_signature>(asio::use_awaitable, guarded->strand, std::move(start));
  co_return guarded->lost;
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
