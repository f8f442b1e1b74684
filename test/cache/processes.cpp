// Locks that a client keeps while its process is killed or stopped, or its connection is silent.
#include <zklock/testing/child_process.hpp>
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <future>
#include <string>

using namespace zklock;
using namespace zklock::test;
using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds session_timeout = 2s;
// The servers count in ticks, and the machine may be slow.
constexpr auto soon = 10s;

/// A process that keeps a lock, and another client that wants it.
struct kept_elsewhere {
  kept_elsewhere() { BOOST_TEST(keeper.read_line() == "kept"); }

  std::string ask(const std::string& command) {
    keeper.write_line(command);
    return keeper.read_line();
  }

  std::future<hold> wait() {
    auto next = lock.acquire(asio::use_future);
    wait_until([&] { return entries(witness, path) == 2; });
    return next;
  }

  void halt() {
    keeper.write_line("halt");
    BOOST_TEST_REQUIRE(keeper.wait_for_halt());
  }

  const std::string path = fresh_path();
  testing::raw_client witness{shared_server().direct_address()};
  background context;
  client zk{context.io, options_for(shared_server().address())};
  mutex lock{zk, path};
  testing::child_process keeper{{.command = {ZKLOCK_KEEPER, shared_server().address(), path,
                                             std::to_string(session_timeout.count())},
                                 .piped = true}};
};

std::int64_t transaction_in(const std::string& answer) {
  BOOST_TEST_REQUIRE(answer.starts_with("granted "));
  return std::stol(answer.substr(answer.find(' ')));
}

const std::string lost_with_session = "lost: " + make_error_code(errc::session_expired).message();

} // namespace

BOOST_AUTO_TEST_SUITE(keeping, *boost::unit_test::timeout(180))

BOOST_FIXTURE_TEST_CASE(lock_that_a_killed_process_kept_is_free_within_its_session_timeout,
                        kept_elsewhere) {
  const auto begin = steady_clock::now();
  keeper.signal(SIGKILL);
  auto next = wait();
  const hold held = get(next);
  BOOST_TEST((steady_clock::now() - begin < soon));
  BOOST_TEST(entries(witness, path) == 1u);
}

BOOST_FIXTURE_TEST_CASE(lock_that_a_killed_process_held_by_what_it_kept_is_free_as_soon,
                        kept_elsewhere) {
  const auto theirs = transaction_in(ask("acquire"));
  const auto begin = steady_clock::now();
  keeper.signal(SIGKILL);
  auto next = wait();
  const hold held = get(next);
  BOOST_TEST((steady_clock::now() - begin < soon));
  BOOST_TEST(held.token().transaction() > theirs);
}

// A stopped process runs no timer. When continued, it must not be granted what it kept for one
// moment.
BOOST_FIXTURE_TEST_CASE(what_a_stopped_process_kept_is_not_granted_when_it_goes_on,
                        kept_elsewhere) {
  const auto kept = transaction_in(ask("acquire"));
  BOOST_TEST(ask("release") == "released");
  halt();
  auto next = wait();
  hold held = get(next);
  BOOST_TEST(held.token().transaction() > kept);
  keeper.signal(SIGCONT);
  // It is in line behind this client.
  wait_until([&] { return entries(witness, path) == 2; });
  BOOST_TEST(!keeper.try_read_line(0ms).has_value());
  BOOST_TEST(held.owns_lock());
  get(held.release(asio::use_future));
  BOOST_TEST(transaction_in(keeper.read_line()) > held.token().transaction());
}

BOOST_FIXTURE_TEST_CASE(hold_of_a_stopped_process_by_what_it_kept_is_lost, kept_elsewhere) {
  const auto theirs = transaction_in(ask("acquire"));
  halt();
  auto next = wait();
  hold held = get(next);
  keeper.signal(SIGCONT);
  BOOST_TEST(keeper.read_line() == "does not own");
  BOOST_TEST(keeper.read_line() == lost_with_session);
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(held.token().transaction() > theirs);
}

// Shorter than the session timeout, unless the machine is slow.
BOOST_FIXTURE_TEST_CASE(process_that_was_stopped_for_a_moment_gives_back_what_it_kept,
                        kept_elsewhere) {
  keeper.halt();
  auto next = wait();
  BOOST_TEST(!is_ready(next));
  keeper.signal(SIGCONT);
  hold held = get(next);
  BOOST_TEST(entries(witness, path) == 1u);
  get(held.release(asio::use_future));
  BOOST_TEST(transaction_in(ask("acquire")) > held.token().transaction());
}

// The long check interval leaves time to look while the session is about to end.
BOOST_AUTO_TEST_CASE(what_is_kept_is_granted_until_the_session_is_in_doubt) {
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

  // Turn after turn, until one is granted by a new entry while the servers do not answer.
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
