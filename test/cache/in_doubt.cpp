// A cached entry whose client is no longer heard by the servers.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(cached_in_doubt, *boost::unit_test::timeout(180))

// The long check interval leaves time to look while the session is about to end.
BOOST_AUTO_TEST_CASE(cached_entry_is_granted_until_the_session_is_in_doubt) {
  testing::relay door(shared_server().direct_address());
  testing::raw_client witness(shared_server().direct_address());
  background context;
  auto options = options_for(door.address(), 5s);
  options.check_interval = 1500ms;
  options.lock_cache.emplace();
  client zk(context.io, options);
  client other(context.io, options_for(shared_server().address()));
  const auto path = fresh_path();
  mutex ours(zk, path);
  mutex theirs(other, path);

  // Turn after turn, until a hold is granted by a new entry while the servers do not answer.
  fencing_token newest;
  bool always_owned = true;
  std::atomic<int> grants{0};
  std::atomic<bool> silent{false};
  const auto use = [&]() -> asio::awaitable<hold> {
    for (;;) {
      hold held = co_await ours.acquire();
      if (silent && held.token().transaction() != newest.transaction()) co_return held;
      always_owned = always_owned && held.owns_lock();
      newest = held.token();
      ++grants;
      co_await held.release();
    }
  };
  auto last = asio::co_spawn(context.io, use(), asio::use_future);
  wait_until([&] { return zk.stats().total.handed_over != 0; });
  hold held = get(mutex(zk, path + "-2").acquire(30s, asio::use_future));
  door.silence();
  silent = true;
  const int before = grants;
  wait_until([&] { return grants > before; });
  wait_until([&] { return !held.owns_lock(); });
  // The servers have not ended the session: its entry is there, and nothing is granted by it.
  BOOST_TEST(witness.exists(held.node()).has_value());
  BOOST_TEST(entries(witness, path) == 1u);
  const int then = grants;
  hold got = get(theirs.acquire(30s, asio::use_future));
  BOOST_TEST(grants == then);
  BOOST_TEST((got.token() > newest));
  BOOST_TEST(always_owned);
  door.heal();
  wait_until([&] { return held.state() == hold_state::lost; });
  BOOST_TEST(!is_ready(last));
  get(got.release(asio::use_future));
  BOOST_TEST((get(last).token() > got.token()));
}

BOOST_AUTO_TEST_SUITE_END()
