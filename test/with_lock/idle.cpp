// with_lock of a client that has used no lock for longer than its session timeout.
#include "support/scene.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr auto session_timeout = 3000ms;
// How long before the end of the proof of its session a body is cancelled.
constexpr auto margin = session_timeout / 10;

struct idle_client : one_lock {
  idle_client() : one_lock({.ours = options_for(shared_server().address(), session_timeout)}) {}

  /// Waits until less than `left` remains of the proof by the last use.
  asio::awaitable<void> idle_until(std::chrono::nanoseconds left) {
    const auto nearly_over = [&] { return zk.stats().margin < left; };
    co_await eventually(nearly_over);
  }
};

// Holds the lock until the session is proven for longer than it was.
asio::awaitable<void> stay_until_proven_anew(hold& held) {
  const auto until = held.valid_until();
  const auto proven_anew = [&] { return held.valid_until() > until + 1s; };
  co_await eventually(proven_anew);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_idle, idle_client, *boost::unit_test::timeout(60))

// The servers have heard of the session all the time, so nothing is in doubt.
BOOST_AUTO_TEST_CASE(body_is_not_cancelled_when_the_last_proof_is_nearly_over) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await with_lock(lock, 10s, stay_until_proven_anew);
    for (const auto left :
         {std::chrono::nanoseconds(margin), std::chrono::nanoseconds(2 * margin)}) {
      co_await idle_until(left);
      co_await with_lock(lock, 10s, stay_until_proven_anew);
    }
  });
}

// Before the first use, the connect request proves the session.
BOOST_AUTO_TEST_CASE(body_is_not_cancelled_at_the_first_use_of_an_old_session) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto connected = [&] { return zk.connected(); };
    co_await eventually(connected);
    co_await idle_until(2 * margin);
    co_await with_lock(lock, 10s, stay_until_proven_anew);
  });
}

BOOST_AUTO_TEST_SUITE_END()
