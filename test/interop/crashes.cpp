// Holders and waiters that crash, and the waiters behind them that use another library.
#include <zklock/testing/relay.hpp>

#include "interop/meeting.hpp"
#include "support/stat_of.hpp"
#include "testing/child_process.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;
using std::chrono::steady_clock;

namespace {

// The servers count in ticks, and the machine may be slow.
constexpr auto session_timeout = 2s;
constexpr auto soon = 10s;

} // namespace

BOOST_AUTO_TEST_SUITE(crashes, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(lock_of_a_killed_peer_is_granted_to_our_waiter) {
  with_each(all_libraries, session_timeout, [](peer& other, meeting& m) {
    const auto node = other.take(m.command("lock", "theirs"));
    auto next = m.wait();
    wait_for_watch(node);
    BOOST_TEST(!is_ready(next));
    const auto begin = steady_clock::now();
    other.kill();
    const hold held = get(next);
    BOOST_TEST((steady_clock::now() - begin < soon));
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(m.line() == std::vector{held.node()}, boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(waiter_of_a_killed_peer_is_passed_over) {
  with_each(all_libraries, session_timeout, [](peer& other, meeting& m) {
    hold held = m.take();
    other.tell(m.command("lock", "theirs"));
    wait_for_watch(held.node());
    client late(m.io, meeting::options("late"));
    mutex lock(late, m.path);
    auto last = lock.acquire(asio::use_future);
    wait_for_watch(m.line()[1]);
    other.kill();
    m.wait_for_entries(2);
    // The waiter looks for a new predecessor to watch.
    wait_for_watch(held.node());
    BOOST_TEST(!is_ready(last));
    get(held.release(asio::use_future));
    BOOST_TEST(get(last).owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(lock_of_our_killed_program_is_granted_to_a_peer) {
  with_each(all_libraries, [](peer& other, meeting& m) {
    const auto timeout = std::to_string(std::chrono::milliseconds(session_timeout).count());
    testing::child_process ours(
        {.command = {ZKLOCK_HOLDER, shared_server().address(), m.path, timeout}, .piped = true});
    BOOST_TEST(ours.read_line() == "held");
    other.tell(m.command("lock", "theirs"));
    wait_for_watch(m.line()[0]);
    BOOST_TEST(!other.has_answered("theirs"));
    const auto begin = steady_clock::now();
    ours.signal(SIGKILL);
    const auto answer = other.hear("theirs");
    BOOST_TEST((steady_clock::now() - begin < soon));
    const auto line = m.line();
    BOOST_TEST_REQUIRE(line.size() == 1u);
    BOOST_TEST(answer == "held " + line[0]);
  });
}

BOOST_AUTO_TEST_CASE(lock_of_our_expired_session_is_granted_to_a_peer_and_we_queue_behind_it) {
  with_each(all_libraries, [](peer& other, meeting& m) {
    hold held = m.take();
    auto lost = held.wait_lost(asio::use_future);
    other.tell(m.command("lock", "theirs"));
    wait_for_watch(held.node());
    auto again = m.wait();
    m.wait_for_entries(3);
    BOOST_TEST(shared_server().expire(m.zk.session_id()));
    BOOST_TEST(get(lost) == errc::session_expired);
    BOOST_TEST(other.hear("theirs") == "held " + m.line()[0]);
    m.wait_for_entries(2);
    BOOST_TEST(!is_ready(again));
    other.ask("unlock theirs");
    BOOST_TEST(get(again).token() > held.token());
  });
}

BOOST_AUTO_TEST_CASE(lock_of_an_expired_peer_is_granted_to_our_waiter) {
  with_each(all_libraries, [](peer& other, meeting& m) {
    const auto node = other.take(m.command("lock", "theirs"));
    auto next = m.wait();
    wait_for_watch(node);
    const auto session = stat_of(m.witness, node).ephemeral_owner;
    BOOST_TEST(shared_server().expire(session));
    BOOST_TEST(get(next).owns_lock());
  });
}

// The failed lock's entry exists and its session continues, so all later waiters would wait
// forever.
BOOST_AUTO_TEST_CASE(failed_lock_of_go_zookeeper_is_released_when_its_connection_closes) {
  testing::relay door(shared_server().direct_address());
  peer other(library::go_zookeeper, door.address(), session_timeout);
  meeting m;
  m.witness.create_all(m.path);
  const auto hook = testing::relay_hooks(door).cut_before_reply(testing::operation::get_children2);
  BOOST_TEST(other.ask(m.command("lock", "theirs")) == "failed zk: connection closed");
  hook.wait();
  BOOST_TEST(m.take().owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
