#include <zklock/leader.hpp>
#include <zklock/with_lock.hpp>

#include "program.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>

#include <stdexcept>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

/// What a body may throw.
class body_failed : public std::runtime_error {
 public:
  body_failed() : std::runtime_error("the body failed") {}
};

/// Runs a coroutine that ends with an error, and cancels it in time.
asio::awaitable<void> run_cancelled(asio::awaitable<void> inner,
                                    std::optional<std::chrono::nanoseconds> after,
                                    zklock::error_code& error) {
  auto signal = std::make_shared<asio::cancellation_signal>();
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer canceller(executor);
  if (after) {
    canceller.expires_after(*after);
    canceller.async_wait([signal](zklock::error_code stopped) {
      if (!stopped) signal->emit(asio::cancellation_type::terminal);
    });
  }
  try {
    co_await asio::co_spawn(executor, std::move(inner),
                            asio::bind_cancellation_slot(signal->slot(), asio::use_awaitable));
  } catch (const boost::system::system_error& thrown) {
    error = thrown.code();
  } catch (const body_failed&) {}
}

} // namespace

asio::awaitable<void> program::body_of(const zklock::hold& held, lock_use use) {
  const referee::watch relied(world_.referee, held, std::move(use), host_.running(), true);
  world_.tell(name_, " runs a body under ", held.node(), " with token ", held.token());
  const auto slices = random_.between(0, 3);
  for (std::size_t i = 0; i < slices && !world_.healed; ++i) {
    co_await sleep(about(world_.design.hold_time) / 2);
    perhaps_stall();
  }
  if (random_.chance(5)) throw body_failed();
}

asio::awaitable<void> program::with_lock_once() {
  const attempt what = any_attempt(any_use());
  wait waiting(world_, host_.pauses(), name_ + " runs with " + what.use.path);
  const counted_try counted(world_, what);
  auto lock = lock_of(what.use);
  bool has_begun = false;
  auto body = [this, use = what.use, &has_begun](zklock::hold& held) -> asio::awaitable<void> {
    has_begun = true;
    return body_of(held, use);
  };
  zklock::error_code error;
  auto whole = zklock::with_lock(lock, what.options, std::move(body));
  co_await run_cancelled(std::move(whole), what.cancelled_after, error);
  waiting.ended(error, has_begun ? std::nullopt : limits_of(what).within());
  perhaps_destroy();
  check_lost(error, what);
}

asio::awaitable<void> program::lead() {
  const auto& design = world_.design;
  const auto name = text("/locks/mutex-", random_.below(design.mutexes), design.name_end);
  attempt what{.use = use_of(name)};
  if (random_.chance(30)) what.cancelled_after = draw(random_, 0ms, 30s);
  wait waiting(world_, host_.pauses(), name_ + " is a candidate for " + what.use.path);
  const zklock::leader election(client(), path_of(name));
  bool was_elected = false;
  auto body = [this, use = what.use, &was_elected](zklock::hold& held) -> asio::awaitable<void> {
    world_.statistics.count(was_elected ? seen::deposed : seen::elected);
    was_elected = true;
    return body_of(held, use);
  };
  zklock::error_code error;
  auto whole = election.run(std::move(body));
  co_await run_cancelled(std::move(whole), what.cancelled_after, error);
  waiting.ended(error, was_elected ? std::nullopt : what.cancelled_after);
  perhaps_destroy();
  check(error, what);
}

} // namespace deterministic
