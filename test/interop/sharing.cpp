// Programs in four languages that acquire a lock of a common path.
#include "interop/meeting.hpp"

#include <boost/test/unit_test.hpp>

#include <iterator>
#include <sstream>

using namespace zklock;
using namespace zklock::test;

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

bool is_taken(mutex& lock) {
  return !get(lock.try_acquire(asio::use_future));
}

} // namespace

BOOST_AUTO_TEST_SUITE(sharing, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(waiter_is_granted_when_a_holder_of_another_library_releases) {
  with_each(all_libraries, [](peer& other, meeting& m) {
    hold held = m.take();
    other.tell(m.command("lock", "theirs"));
    wait_for_watch(held.node());
    auto next = m.wait();
    m.wait_for_entries(3);
    const auto line = m.line();
    BOOST_TEST(held.node() == line[0]);

    BOOST_TEST(!other.has_answered("theirs"));
    get(held.release(asio::use_future));
    BOOST_TEST(other.hear("theirs") == "held " + line[1]);

    wait_for_watch(line[1]);
    BOOST_TEST(!is_ready(next));
    BOOST_TEST(other.ask("unlock theirs") == "released");
    held = get(next);
    BOOST_TEST(held.node() == line[2]);
  });
}

BOOST_AUTO_TEST_CASE(waiter_that_gave_up_leaves_nothing) {
  with_each(all_libraries, [](peer& other, meeting& m) {
    // The peer has created the directory.
    const auto node = other.take(m.command("lock", "theirs"));
    BOOST_TEST(is_taken(m.lock));
    BOOST_TEST(error_of(m.lock.acquire(200ms, asio::use_future)) == errc::timed_out);
    m.wait_for_entries(1);
    BOOST_TEST(m.line()[0] == node);
    other.ask("unlock theirs");

    hold held = get(m.lock.try_acquire(asio::use_future));
    BOOST_TEST(other.ask(m.command("lock", "theirs", 200ms)) == "timeout");
    m.wait_for_entries(1);
    BOOST_TEST(held.owns_lock());
    get(held.release(asio::use_future));
    BOOST_TEST(other.ask(m.command("lock", "theirs")).starts_with("held"));
  });
}

BOOST_AUTO_TEST_CASE(waiters_of_all_libraries_are_granted_in_the_order_of_the_line) {
  auto curator = start_peer(library::curator);
  auto kazoo = start_peer(library::kazoo);
  auto go = start_peer(library::go_zookeeper);
  meeting m("first");
  client late(m.io, meeting::options("fifth"));
  mutex lock(late, m.path);

  hold held = m.take();
  curator.tell(m.command("lock", "second"));
  m.wait_for_entries(2);
  kazoo.tell(m.command("lock", "third"));
  m.wait_for_entries(3);
  go.tell(m.command("lock", "fourth"));
  m.wait_for_entries(4);
  auto last = lock.acquire(asio::use_future);
  m.wait_for_entries(5);
  const auto line = m.line();

  auto nodes = words_of(curator.ask("participants look " + m.path));
  nodes.erase(nodes.begin());
  BOOST_TEST(nodes == line, boost::test_tools::per_element());
  BOOST_TEST(line[0] == held.node());

  const auto identities = words_of(kazoo.ask("participants look " + m.path));
  BOOST_TEST_REQUIRE(identities.size() == 6u);
  BOOST_TEST(identities[1] == "first");
  // Curator's entries carry an address.
  BOOST_TEST(identities[2] == m.witness.get(line[1]).data);
  BOOST_TEST(identities[3] == "third");
  // The identities of go-zookeeper are empty.
  BOOST_TEST(identities[4] == "-");
  BOOST_TEST(identities[5] == "fifth");

  get(held.release(asio::use_future));
  BOOST_TEST(curator.hear("second") == "held " + line[1]);
  curator.ask("unlock second");
  BOOST_TEST(kazoo.hear("third") == "held " + line[2]);
  BOOST_TEST(!is_ready(last));
  kazoo.ask("unlock third");
  BOOST_TEST(go.hear("fourth") == "held " + line[3]);
  BOOST_TEST(!is_ready(last));
  go.ask("unlock fourth");
  BOOST_TEST(get(last).node() == line[4]);
}

BOOST_AUTO_TEST_CASE(request_of_curators_revoker_leaves_the_lock_held) {
  auto other = start_peer(library::curator);
  meeting m;
  hold held = m.take();
  auto next = m.wait();
  m.wait_for_entries(2);
  other.tell(m.command("lock", "theirs"));
  const auto waiting = m.line()[1];
  wait_for_watch(waiting);
  for (const auto& node : {held.node(), waiting}) {
    BOOST_TEST(other.ask("revoke asker " + node) == "asked");
    // Curator lists again, and goes back to waiting.
    wait_for_watch(waiting);
  }
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(!is_ready(next));
  BOOST_TEST(!other.has_answered("theirs"));
  get(held.release(asio::use_future));
  held = get(next);
  BOOST_TEST(!other.has_answered("theirs"));
  get(held.release(asio::use_future));
  BOOST_TEST(other.hear("theirs").starts_with("held"));
}

BOOST_AUTO_TEST_CASE(leader_of_curators_election_holds_the_lock) {
  auto other = start_peer(library::curator);
  meeting m;
  BOOST_TEST(other.ask("elect leader " + m.path) == "leading");
  BOOST_TEST(is_taken(m.lock));
  auto next = m.wait();
  m.wait_for_entries(2);
  other.ask("unlock leader");
  hold held = get(next);
  other.tell("elect again " + m.path);
  wait_for_watch(held.node());
  BOOST_TEST(!other.has_answered("again"));
  get(held.release(asio::use_future));
  BOOST_TEST(other.hear("again") == "leading");
}

BOOST_AUTO_TEST_SUITE_END()
