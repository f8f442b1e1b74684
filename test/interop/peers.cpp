// Tests of the peers among themselves: all further tests rely on the peers.
#include "interop/meeting.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(peers, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(failing_command_is_answered) {
  for (const auto which : all_libraries) {
    auto other = start_peer(which);
    BOOST_TEST(other.ask("unlock nothing").starts_with("failed"));
    BOOST_TEST(other.ask("nonsense name").starts_with("failed"));
  }
}

BOOST_AUTO_TEST_CASE(readers_share_and_writers_do_not) {
  auto curator = start_peer(library::curator);
  auto kazoo = start_peer(library::kazoo);
  const meeting m;
  curator.take(m.command("read", "one"));
  kazoo.take(m.command("read", "two"));
  BOOST_TEST(curator.ask(m.command("write", "three", 200ms)) == "timeout");
  BOOST_TEST(kazoo.ask(m.command("write", "three", 200ms)) == "timeout");
  curator.ask("unlock one");
  kazoo.ask("unlock two");

  curator.take(m.command("write", "one"));
  BOOST_TEST(kazoo.ask(m.command("read", "two", 200ms)) == "timeout");
  // Without waiters: before 5.5, a downgrade in Curator lets a waiting writer in (CURATOR-621).
  const auto answer = curator.ask("downgrade one");
  BOOST_TEST_REQUIRE(answer.starts_with("held " + m.path));
  kazoo.take(m.command("read", "reader"));
  kazoo.ask("unlock reader");
  kazoo.tell(m.command("write", "two"));
  wait_for_watch(answer.substr(answer.find(' ') + 1));
  BOOST_TEST(!kazoo.has_answered("two"));
  curator.ask("unlock one");
  BOOST_TEST(kazoo.hear("two").starts_with("held"));
  BOOST_TEST(curator.ask(m.command("read", "one", 200ms)) == "timeout");
}

BOOST_AUTO_TEST_CASE(semaphore_has_its_number_of_permits) {
  auto curator = start_peer(library::curator);
  const meeting m;
  const auto two = curator.take("semaphore one " + m.path + " 3 2 30000");
  BOOST_TEST(curator.ask("semaphore two " + m.path + " 3 2 200") == "timeout");
  const auto third = curator.take("semaphore two " + m.path + " 3 1 30000");
  const auto permits = curator.ask("permit_nodes look " + m.path);
  for (const auto& each : {two.substr(0, two.find(' ')), two.substr(two.find(' ') + 1), third})
    BOOST_TEST(permits.find(each) != permits.npos, each << " is not in " << permits);
  BOOST_TEST(curator.ask("unlock one") == "released");
  BOOST_TEST(curator.ask("permit_nodes look " + m.path) == "permits " + third);
}

BOOST_AUTO_TEST_CASE(semaphore_can_be_widened) {
  auto curator = start_peer(library::curator);
  meeting m;
  const auto limit = m.path + "-limit";
  BOOST_TEST(curator.ask("set_count " + limit + " 2") == "set");
  BOOST_TEST(m.witness.get(limit).data == std::string("\0\0\0\2", 4));
  const auto command = [&](const std::string& name, const std::string& count) {
    return "semaphore_shared " + name + ' ' + m.path + ' ' + limit + ' ' + count + " 30000";
  };
  curator.take(command("one", "2"));
  curator.tell(command("two", "1"));
  wait_until([&] { return entries(m.witness, m.path + "/leases") == 3; });
  BOOST_TEST(!curator.has_answered("two"));
  curator.ask("set_count " + limit + " 3");
  BOOST_TEST(curator.hear("two").starts_with("held"));
}

BOOST_AUTO_TEST_CASE(holder_receives_a_release_request) {
  auto curator = start_peer(library::curator);
  meeting m;
  const auto node = curator.take("revocable theirs " + m.path);
  BOOST_TEST(curator.ask("revoke asker " + node) == "asked");
  BOOST_TEST(curator.hear("theirs") == "revoke_requested");
  BOOST_TEST(m.witness.get(node).data == "__REVOKE__");
  auto next = m.wait();
  m.wait_for_entries(2);
  BOOST_TEST(!is_ready(next));
  BOOST_TEST(curator.ask("unlock theirs") == "released");
  BOOST_TEST(get(next).owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
