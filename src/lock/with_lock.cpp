#include <zklock/with_lock.hpp>

#include "lock/client_state.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace zklock::detail {

namespace {

using failure_signature = void(std::exception_ptr);

// A body that runs while a hold is proven. All of it is used on its strand only, so that nobody
// emits the signal while the body is between two operations.
struct guarded_body : std::enable_shared_from_this<guarded_body> {
  guarded_body(const asio::any_io_executor& executor, hold& h)
      : strand(asio::make_strand(executor)), held(h) {}

  void start(asio::awaitable<void> body, handler<failure_signature> handler);
  asio::awaitable<void> run(asio::awaitable<void> body);
  asio::awaitable<void> give_back();
  void watch();
  void cancel(asio::cancellation_type type) {
    if (!done) signal.emit(type);
  }

  zookeeper::strand strand;
  hold& held;
  asio::cancellation_signal signal;
  error_code unproven;
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

void guarded_body::watch() {
  const auto& c = hold_access::claim_of(held);
  auto when_unproven = asio::bind_executor(strand, [weak = weak_from_this()](error_code why) {
    const auto self = weak.lock();
    if (!self || why == asio::error::operation_aborted) return;
    self->unproven = why;
    self->cancel(asio::cancellation_type::terminal);
  });
  c->client()->when_unproven(
      c, make_recycled<stored_handler<error_code>>(
             handler<void(error_code)>(std::move(when_unproven), strand), strand));
}

asio::awaitable<void> guarded_body::run(asio::awaitable<void> body) {
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
    held = hold();

  if (why && (!failure || is_aborted(failure)) && (failure || !owned))
    throw boost::system::system_error(why);
  if (failure) std::rethrow_exception(failure);
  if (!owned) throw boost::system::system_error(unsure);
}

// Waits for servers that do not answer only as long as the hold was proven.
asio::awaitable<void> guarded_body::give_back() {
  asio::steady_timer patience(strand, held.valid_until() - boot_clock::now());
  patience.async_wait([weak = weak_from_this()](error_code stopped) {
    if (const auto self = weak.lock(); self && !stopped)
      self->cancel(asio::cancellation_type::terminal);
  });
  co_await held.release(asio::as_tuple(asio::use_awaitable));
}

void guarded_body::start(asio::awaitable<void> body, handler<failure_signature> handler) {
  const auto outer = make_recycled<stored_handler<std::exception_ptr>>(std::move(handler), strand);
  if (auto slot = outer->slot(); slot.is_connected())
    slot.assign([weak = weak_from_this()](asio::cancellation_type type) {
      if (const auto self = weak.lock())
        asio::dispatch(self->strand, [self, type] { self->cancel(type); });
    });
  auto finish = [self = shared_from_this(), outer](std::exception_ptr failure) {
    self->done = true;
    outer->post(std::move(failure));
  };
  watch();
  asio::co_spawn(strand, run(std::move(body)),
                 asio::bind_cancellation_slot(signal.slot(), std::move(finish)));
}

} // namespace

asio::awaitable<void> run_while_held(hold& held, asio::awaitable<void> body) {
  const auto guarded = std::make_shared<guarded_body>(co_await asio::this_coro::executor, held);
  // A named object: gcc 12 destroys temporaries of an expression that has a co_await in it twice.
  auto start = [guarded, &body](handler<failure_signature> handler) {
    guarded->start(std::move(body), std::move(handler));
  };
  co_await initiate<failure_signature>(asio::use_awaitable, guarded->strand, std::move(start));
}

} // namespace zklock::detail
