// The system calls of the thread that runs a client's context.
#include "support/system_calls.hpp"

#include "support/scene.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr int cycles = 200;

// A ping, a check of the client, and two more requests.
constexpr int others = 4 * 5;

struct watched_scene : scene {
  /// The calls of a coroutine that acquires and releases the lock, again and again.
  template <class Release>
  system_calls count(Release release) {
    system_calls before;
    system_calls found;
    bool done = false;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
          for (int i = 0; i < 2 * cycles; ++i) {
            // The client has seen what the program does.
            if (i == cycles) before = system_calls::of_this_thread();
            hold held = co_await lock.acquire(30s);
            co_await release(held);
          }
          found = system_calls::of_this_thread() - before;
        },
        [&](std::exception_ptr failed) {
          BOOST_TEST(!failed);
          done = true;
        });
    run_until(io, [&] { return done; });
    return found;
  }

  mutex lock{zk, path};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(calls, watched_scene, *boost::unit_test::timeout(60))

// To send, to wait again, to be woken, to receive.
BOOST_AUTO_TEST_CASE(request_takes_four) {
  const auto found = count([](hold& held) { return held.release(asio::use_awaitable); });
  constexpr int requests = 2 * cycles;
  BOOST_TEST(found.all() <= 4 * requests + others, found.text());
}

BOOST_AUTO_TEST_CASE(release_in_the_background_goes_with_the_next_acquire) {
  const auto found = count([](hold& held) -> asio::awaitable<void> {
    held = hold();
    co_return;
  });
  BOOST_TEST(found.all() <= 4 * cycles + others, found.text());
}

BOOST_AUTO_TEST_SUITE_END()
