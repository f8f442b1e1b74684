// Destroys the context, the client or the lock of an acquire, in each phase of the acquire.
#include "phase_scene.hpp"
#include "support/pending.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <utility>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(destroyed, *boost::unit_test::timeout(60))

namespace {

// Whether a coroutine's frame was destroyed.
struct frame_mark {
  explicit frame_mark(bool& is_gone) : gone(is_gone) {}
  frame_mark(const frame_mark&) = delete;
  frame_mark& operator=(const frame_mark&) = delete;
  ~frame_mark() { gone = true; }

  bool& gone;
};

asio::awaitable<void> wait_with(std::shared_ptr<client> zk, std::string path, bool& gone) {
  const frame_mark mark(gone);
  mutex lock(*zk, path);
  const hold held = co_await lock.acquire(60s, asio::use_awaitable);
  BOOST_ERROR("nothing can have resumed it");
}

template <class Test>
void in_each_phase(Test test) {
  for (std::size_t i = 0; i < all_phases.size(); ++i)
    BOOST_TEST_CONTEXT("the phase \"" << phase_names[i] << '"') test(all_phases[i]);
}

// The session ends at once where the servers can be reached, else when it expires: soon.
constexpr auto short_session = 2s;

} // namespace

BOOST_AUTO_TEST_CASE(destroyed_context_destroys_its_waiting_coroutine) {
  in_each_phase([](phase stage) {
    auto io = std::make_unique<asio::io_context>(1);
    phase_scene world(*io, stage, short_session);
    bool gone = false;
    run(*io, [&] { return world.prepare(); });
    asio::co_spawn(*io, wait_with(world.zk, world.path, gone), asio::detached);
    run(*io, [&] { return world.reach(); });
    BOOST_TEST(!gone);
    io.reset();
    BOOST_TEST(gone);
    BOOST_TEST(!world.zk->connected());
    asio::io_context after;
    world.heal();
    run(after, [&] { return world.expect_nothing_left(); });
  });
}

BOOST_AUTO_TEST_CASE(destroyed_context_destroys_the_client_in_its_coroutine) {
  in_each_phase([](phase stage) {
    auto io = std::make_unique<asio::io_context>(1);
    phase_scene world(*io, stage, short_session);
    bool gone = false;
    run(*io, [&] { return world.prepare(); });
    asio::co_spawn(*io, wait_with(world.zk, world.path, gone), asio::detached);
    run(*io, [&] { return world.reach(); });
    world.zk.reset();
    io.reset();
    BOOST_TEST(gone);
    asio::io_context after;
    world.heal();
    run(after, [&] { return world.expect_nothing_left(); });
  });
}

BOOST_AUTO_TEST_CASE(destroyed_client_ends_the_acquire) {
  in_each_phase([](phase stage) {
    asio::io_context io{1};
    phase_scene world(io, stage, short_session);
    run(io, [&]() -> asio::awaitable<void> {
      std::optional<error_code> error;
      co_await world.prepare();
      mutex lock(*world.zk, world.path);
      lock.acquire([&](error_code e, hold h) {
        error = e;
        BOOST_TEST((h.state() == hold_state::empty));
      });
      co_await world.reach();
      world.zk.reset();
      BOOST_TEST(!error.has_value());
      const auto told = [&] { return error.has_value(); };
      co_await eventually(told);
      BOOST_TEST(*error == errc::closed);
      error.reset();
      // The lock still exists, and every operation on it fails.
      lock.acquire(1s, [&](error_code e, hold) { error = e; });
      co_await eventually(told);
      BOOST_TEST(*error == errc::closed);
      world.let_go();
      co_await world.expect_nothing_left();
    });
  });
}

BOOST_AUTO_TEST_CASE(acquire_continues_after_its_lock_is_destroyed) {
  in_each_phase([](phase stage) {
    asio::io_context io{1};
    phase_scene world(io, stage);
    run(io, [&]() -> asio::awaitable<void> {
      pending<hold> waiting;
      co_await world.prepare();
      std::optional<mutex> lock(std::in_place, *world.zk, world.path);
      lock->acquire(30s, waiting.token());
      co_await world.reach();
      lock.reset();
      world.let_go();
      BOOST_TEST(!(co_await waiting.wait()));
      BOOST_TEST(waiting.result().owns_lock());
      waiting.result() = hold();
      co_await world.expect_nothing_left();
    });
  });
}

BOOST_AUTO_TEST_SUITE_END()
