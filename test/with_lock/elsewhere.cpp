// Bodies that run on another loop than their client's, which is blocked.
#include "support/background.hpp"
#include "support/kept_log.hpp"
#include "support/world.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

/// A handler that runs as long as this object lives: meanwhile its loop runs nothing else.
class long_handler {
 public:
  explicit long_handler(asio::io_context& loop) {
    const auto begun = std::make_shared<std::promise<void>>();
    asio::post(loop, [begun, end = end_.get_future().share()] {
      begun->set_value();
      end.wait();
    });
    get(begun->get_future());
  }
  ~long_handler() { end_.set_value(); }
  long_handler(const long_handler&) = delete;
  long_handler& operator=(const long_handler&) = delete;

 private:
  std::promise<void> end_;
};

struct elsewhere {
  kept_log log;
  std::optional<background> loop{std::in_place};
  client zk{loop->io, logging(3s)};
  mutex lock{zk, fresh_path()};

  std::atomic<int> runs = 0;
  std::atomic<bool> owned = false;
  background bodies;

  client_options logging(std::chrono::milliseconds session_timeout) {
    auto options = options_for(shared_server().address(), session_timeout);
    options.log = log.writer();
    return options;
  }

  /// A body that waits until it is cancelled.
  template <class Hold>
  asio::awaitable<void> wait(const Hold& held) {
    ++runs;
    error_code error;
    asio::steady_timer timer(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    owned = held.owns_lock();
    throw boost::system::system_error(error);
  }

  template <class Lock>
  std::future<void> start(Lock& taken, acquire_options options = {}) {
    auto body = [this](auto& held) { return this->wait(held); };
    auto ended = asio::co_spawn(bodies.io, with_lock(taken, std::move(options), std::move(body)),
                                asio::use_future);
    wait_until([&] { return runs == 1; });
    return ended;
  }

  static bool ends_soon(const std::future<void>& running) {
    return running.wait_for(10s) == std::future_status::ready;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_elsewhere, elsewhere, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(body_is_cancelled_while_the_loop_of_its_client_is_blocked) {
  auto running = start(lock);
  {
    const long_handler blocked(loop->io);
    BOOST_TEST_REQUIRE(ends_soon(running));
    BOOST_TEST(error_of(running) == errc::in_doubt);
    BOOST_TEST(owned);
    BOOST_TEST(log.count("a lock is in doubt") == 0u);
  }
  wait_until([&] { return log.count("a lock is in doubt") == 1; });
}

// The loop of the body is not run until the proof of its hold is over.
BOOST_AUTO_TEST_CASE(body_does_not_begin_in_doubt) {
  asio::io_context late{1};
  auto body = [this](hold& held) { return wait(held); };
  auto ended = asio::co_spawn(late, with_lock(lock, std::move(body)), asio::use_future);
  late.poll();
  wait_until([&] { return zk.stats().total.acquired == 1; });
  const long_handler blocked(loop->io);
  const auto proof_ends = boot_clock::now() + 3s;
  wait_until([&] { return boot_clock::now() > proof_ends; });
  late.restart();
  late.run_for(20s);
  BOOST_TEST_REQUIRE(is_ready(ended));
  BOOST_TEST(error_of(ended) == errc::in_doubt);
  BOOST_TEST(runs == 0);
}

BOOST_AUTO_TEST_CASE(leader_is_deposed_while_the_loop_of_its_client_is_blocked) {
  const election candidate(zk, lock.path());
  auto body = [this](hold& held) -> asio::awaitable<void> {
    if (runs == 0) co_await wait(held);
    ++runs;
  };
  auto running = asio::co_spawn(bodies.io, candidate.run(std::move(body)), asio::use_future);
  wait_until([&] { return runs == 1; });
  {
    const long_handler blocked(loop->io);
    wait_until([&] { return owned.load(); }, 10s);
    BOOST_TEST(!is_ready(running));
  }
  BOOST_TEST(!error_of(running));
  BOOST_TEST(runs == 2);
}

BOOST_AUTO_TEST_CASE(body_of_several_locks_is_cancelled_while_one_loop_is_blocked) {
  background free;
  client other(free.io, options_for(shared_server().address(), 6s));
  multi_lock both(mutex(other, fresh_path()), lock);
  auto running = start(both);
  const long_handler blocked(loop->io);
  BOOST_TEST_REQUIRE(ends_soon(running));
  BOOST_TEST(error_of(running) == errc::in_doubt);
  BOOST_TEST(owned);
}

BOOST_AUTO_TEST_CASE(hold_limit_cancels_the_body_while_the_loop_of_its_client_is_blocked) {
  client patient(loop->io, options_for(shared_server().address(), 20s));
  mutex limited(patient, fresh_path());
  auto running = start(limited, {.hold_limit = 2s});
  const long_handler blocked(loop->io);
  BOOST_TEST_REQUIRE(ends_soon(running));
  BOOST_TEST(error_of(running) == errc::hold_limit_reached);
  BOOST_TEST(owned);
}

// Both bodies share an acquisition.
BOOST_AUTO_TEST_CASE(bodies_of_one_owner_are_cancelled_while_the_loop_of_their_client_is_blocked) {
  const owner me;
  auto inner = [this](hold& held) { return wait(held); };
  auto outer = [&]() { return with_lock(lock, acquire_options{.owner = me}, inner); };
  auto running = asio::co_spawn(bodies.io, with_lock(lock, acquire_options{.owner = me}, outer),
                                asio::use_future);
  wait_until([&] { return runs == 1; });
  const long_handler blocked(loop->io);
  BOOST_TEST_REQUIRE(ends_soon(running));
  BOOST_TEST(error_of(running) == errc::in_doubt);
  BOOST_TEST(owned);
}

// The servers may end the session at once.
BOOST_AUTO_TEST_CASE(body_is_cancelled_when_the_context_of_its_client_is_destroyed) {
  client patient(loop->io, options_for(shared_server().address(), 20s));
  mutex held_for_long(patient, fresh_path());
  auto running = start(held_for_long);
  loop.reset();
  BOOST_TEST_REQUIRE(ends_soon(running));
  BOOST_TEST(error_of(running) == errc::closed);
}

// The loop is blocked before it has heard of the body.
BOOST_AUTO_TEST_CASE(body_is_cancelled_though_the_loop_of_its_client_never_hears_of_it) {
  hold held = get(lock.acquire(30s, asio::use_future));
  auto blocked = std::make_unique<long_handler>(loop->io);
  auto running =
      asio::co_spawn(bodies.io, detail::run_while_held(held, wait(held)), asio::use_future);
  BOOST_TEST_REQUIRE(ends_soon(running));
  BOOST_TEST(error_of(running) == errc::in_doubt);
  BOOST_TEST(owned);
}

BOOST_AUTO_TEST_SUITE_END()
