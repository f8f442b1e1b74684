#include <zklock/election.hpp>
#include <zklock/with_lock.hpp>

#include "program.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

/// An exception that a body may throw.
class body_failed : public std::runtime_error {
 public:
  body_failed() : std::runtime_error("the body failed") {}
};

/// The end of a coroutine on another loop, as the waiting coroutine learns of it.
struct far_end {
  bool is_reached = false;
  std::exception_ptr thrown{};
  /// Null once nothing waits, or the context of the waiting coroutine is gone.
  asio::steady_timer* waiting = nullptr;
};

/// Runs a coroutine on a loop. No coroutine owns its counterpart when the contexts are destroyed.
asio::awaitable<void> run_there(loop& on, asio::awaitable<void> inner,
                                std::shared_ptr<asio::cancellation_signal> signal,
                                std::shared_ptr<life> by) {
  const asio::any_io_executor own = co_await asio::this_coro::executor;
  const auto end = std::make_shared<far_end>();
  asio::steady_timer waiting(own, asio::steady_timer::time_point::max());
  const auto leave = [end](asio::steady_timer*) { end->waiting = nullptr; };
  const std::unique_ptr<asio::steady_timer, decltype(leave)> waits(&waiting, leave);
  end->waiting = &waiting;
  const auto slot = signal->slot();
  auto ended = [end, own, signal = std::move(signal)](std::exception_ptr thrown) {
    if (!end->waiting) return;
    asio::post(own, [end, thrown = std::move(thrown)] {
      end->is_reached = true;
      end->thrown = thrown;
      if (end->waiting) end->waiting->cancel();
    });
  };
  watched<decltype(ended)> counted{std::move(ended), {std::move(by), true, "a coroutine"}};
  asio::co_spawn(on.context(), std::move(inner),
                 asio::bind_cancellation_slot(slot, std::move(counted)));
  while (!end->is_reached) {
    zklock::error_code ignored;
    co_await waiting.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  if (end->thrown) std::rethrow_exception(end->thrown);
}

/// Runs a coroutine that ends with an error, on a loop or on the caller's, and cancels it in time.
asio::awaitable<void> run_cancelled(asio::awaitable<void> inner, loop* on, std::shared_ptr<life> by,
                                    std::optional<std::chrono::nanoseconds> after,
                                    zklock::error_code& error) {
  auto signal = std::make_shared<asio::cancellation_signal>();
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  if (on) executor = on->context().get_executor();
  asio::steady_timer canceller(executor);
  if (after) {
    canceller.expires_after(*after);
    canceller.async_wait([signal](zklock::error_code stopped) {
      if (!stopped) signal->emit(asio::cancellation_type::terminal);
    });
  }
  try {
    if (on)
      co_await run_there(*on, std::move(inner), signal, std::move(by));
    else
      co_await asio::co_spawn(executor, std::move(inner),
                              asio::bind_cancellation_slot(signal->slot(), asio::use_awaitable));
  } catch (const boost::system::system_error& thrown) {
    error = thrown.code();
  } catch (const body_failed&) {}
}

} // namespace

auto program::make_body(const lock_use& use, const loop* on, std::shared_ptr<body_story> story) {
  return [this, self = shared_from_this(), use, on, story = std::move(story)](zklock::hold& held) {
    return body_of(held, use, on, *story);
  };
}

// Where there are further loops, a body may move its hold, and release it early.
asio::awaitable<void> program::body_of(zklock::hold& held, lock_use use, const loop* on,
                                       body_story& story) {
  story.has_begun = true;
  const bool may_do_more = world_.design.loops != 0;
  zklock::hold moved;
  if (may_do_more && random_.chance(15)) moved = std::move(held);
  zklock::hold& own = held.state() == zklock::hold_state::empty ? moved : held;
  {
    const referee::watch relied(world_.referee, own, std::move(use), process_, true, on);
    world_.tell(name_, " runs a body under ", own.node(), " with token ", own.token(),
                on ? " on another loop" : "");
    const auto slices = random_.between(0, 3);
    for (std::size_t i = 0; i < slices && !world_.healed; ++i) {
      co_await sleep(about(world_.design.hold_time) / 2);
      perhaps_stall();
    }
    // Longer than a session that its client cannot keep.
    if (on && !world_.healed && random_.chance(25)) co_await sleep(draw(random_, 5s, 20s));
    if (random_.chance(5)) throw body_failed();
  }
  if (!may_do_more || !random_.chance(15)) co_return;
  zklock::error_code ignored;
  auto released = start_by<void(zklock::error_code)>(
      life_, on != nullptr, name_ + " releases early", own.release(),
      asio::redirect_error(asio::use_awaitable, ignored));
  co_await std::move(released);
  co_await sleep(about(world_.design.hold_time));
  world_.statistics.count(seen::body_released);
  story.has_released = true;
}

asio::awaitable<void> program::with_lock_once() {
  const attempt what = any_attempt(any_use());
  wait waiting(world_, host_, name_ + " runs with " + what.use.path);
  const counted_try counted(world_, what);
  loop* const on = host_.any_loop(random_);
  const auto story = std::make_shared<body_story>();
  zklock::error_code error;
  auto whole =
      zklock::with_lock(lock_of(what.use), options_of(what), make_body(what.use, on, story));
  co_await run_cancelled(std::move(whole), on, life_, what.cancelled_after, error);
  waiting.ended(error, story->has_begun ? std::nullopt : limits_of(what).within());
  if (story->has_released && error && error != asio::error::operation_aborted)
    surprised("a body that has released", error);
  perhaps_destroy();
  check_lost(error, what);
}

asio::awaitable<void> program::lead() {
  const auto& design = world_.design;
  const auto name = text("/locks/mutex-", random_.below(design.mutexes), design.name_end);
  attempt what{.use = use_of(name)};
  if (random_.chance(30)) what.cancelled_after = draw(random_, 0ms, 30s);
  give_identity(what.use);
  wait waiting(world_, host_, name_ + " is a candidate for " + what.use.path);
  loop* const on = host_.any_loop(random_);
  const auto story = std::make_shared<body_story>();
  auto body = [this, story, inner = make_body(what.use, on, story)](zklock::hold& held) {
    world_.statistics.count(story->has_begun ? seen::deposed : seen::elected);
    if (story->has_released) world_.violated(name_ + " is elected again after it has resigned");
    return inner(held);
  };
  zklock::error_code error;
  auto whole = zklock::election(client(), path_of(name)).run(options_of(what), std::move(body));
  co_await run_cancelled(std::move(whole), on, life_, what.cancelled_after, error);
  waiting.ended(error, story->has_begun ? std::nullopt : what.cancelled_after);
  perhaps_destroy();
  check(error, what);
}

} // namespace deterministic
