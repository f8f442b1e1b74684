// Locks of other libraries that exclude ours only in part, or only after a setting:
// doc/guide/sharing_a_path.md has the list.
#include "interop/meeting.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

/// Checks that a try of ours fails and our waiter waits while a peer holds the lock by `node`.
void check_waiting_for(peer& other, const std::string& node, meeting& m) {
  BOOST_TEST(!get(m.lock.try_acquire(asio::use_future)));
  auto next = m.wait();
  wait_for_watch(node);
  check_granted_after(other, "theirs", next);
}

/// Checks that kazoo waits for our lock and for Curator's, and that kazoo's lock excludes ours.
void check_sharing(peer& kazoo, const std::string& verb, peer& curator, meeting& m) {
  hold held = m.take();
  BOOST_TEST(kazoo.ask(m.command(verb, "theirs", 200ms)) == "timeout");
  get(held.release(asio::use_future));

  curator.take(m.command("lock", "java"));
  BOOST_TEST(kazoo.ask(m.command(verb, "theirs", 200ms)) == "timeout");
  curator.ask("unlock java");

  kazoo.take(m.command(verb, "theirs"));
  BOOST_TEST(!get(m.lock.try_acquire(asio::use_future)));
}

} // namespace

BOOST_AUTO_TEST_SUITE(not_sharing, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(unconfigured_kazoo_does_not_wait_for_our_entry) {
  auto kazoo = start_peer(library::kazoo);
  meeting m;
  hold held = m.take();
  BOOST_TEST(kazoo.ask(m.command("stock_lock", "theirs")).starts_with("held"));
  BOOST_TEST(held.owns_lock());
  m.wait_for_entries(2);
}

BOOST_AUTO_TEST_CASE(our_waiter_waits_for_unconfigured_kazoo) {
  auto kazoo = start_peer(library::kazoo);
  meeting m;
  check_waiting_for(kazoo, kazoo.take(m.command("stock_lock", "theirs")), m);
}

BOOST_AUTO_TEST_CASE(kazoo_configured_with_our_names_waits_for_others_but_curator_not_for_it) {
  auto kazoo = start_peer(library::kazoo);
  auto curator = start_peer(library::curator);
  meeting m;
  check_sharing(kazoo, "told_lock", curator, m);
  BOOST_TEST(curator.ask(m.command("lock", "java")).starts_with("held"));
}

BOOST_AUTO_TEST_CASE(kazoo_with_common_names_shares_with_all) {
  auto kazoo = start_peer(library::kazoo);
  auto curator = start_peer(library::curator);
  meeting m;
  check_sharing(kazoo, "lock", curator, m);
  BOOST_TEST(curator.ask(m.command("lock", "java", 200ms)) == "timeout");
}

BOOST_AUTO_TEST_CASE(lock_of_go_zookeeper_fails_beside_children_that_are_no_entries) {
  auto go = start_peer(library::go_zookeeper);
  meeting m;
  m.witness.create_all(m.path + "/config");
  BOOST_TEST(m.take().owns_lock());
  BOOST_TEST(go.ask(m.command("lock", "theirs")).starts_with("failed"));
  m.witness.remove(m.path + "/config");
  go.take(m.command("lock", "theirs"));
}

BOOST_AUTO_TEST_CASE(curators_readers_and_writers_do_not_wait_for_our_mutex_but_it_waits_for_them) {
  for (const std::string verb : {"read", "write"}) {
    BOOST_TEST_CONTEXT(verb) {
      auto curator = start_peer(library::curator);
      meeting m;
      hold held = m.take();
      const auto node = curator.take(m.command(verb, "theirs"));
      get(held.release(asio::use_future));
      check_waiting_for(curator, node, m);
    }
  }
}

BOOST_AUTO_TEST_CASE(curators_semaphore_and_our_mutex_do_not_wait_for_each_other) {
  auto curator = start_peer(library::curator);
  meeting m;
  {
    const hold held = m.take();
    curator.take("semaphore theirs " + m.path + " 1 1 30000");
    BOOST_TEST(held.owns_lock());
  }
  BOOST_TEST(get(m.wait()).owns_lock());
}

// Curator sorts its name behind all numbers, and kazoo looks for other names. Newer versions of
// go-zookeeper refuse to lock beside a name that they do not know.
BOOST_AUTO_TEST_CASE(curator_and_kazoo_do_not_wait_for_zookeepers_own_recipe_but_we_and_go_do) {
  auto curator = start_peer(library::curator);
  auto kazoo = start_peer(library::kazoo);
  auto go = start_peer(library::go_zookeeper);
  meeting m;
  m.witness.create_all(m.path);
  const auto node = m.witness.create(m.path + "/x-0123456789abcdef-", "",
                                     testing::create_mode::ephemeral_sequential);
  BOOST_TEST(!get(m.lock.try_acquire(asio::use_future)));
  BOOST_TEST(curator.ask(m.command("lock", "java")).starts_with("held"));
  curator.ask("unlock java");
  BOOST_TEST(kazoo.ask(m.command("lock", "python")).starts_with("held"));
  kazoo.ask("unlock python");
  if (are_peers_newer()) {
    BOOST_TEST(go.ask(m.command("lock", "go")).starts_with("failed"));
    m.witness.remove(node);
    go.tell(m.command("lock", "go"));
  } else {
    go.tell(m.command("lock", "go"));
    wait_for_watch(node);
    BOOST_TEST(!go.has_answered("go"));
    m.witness.remove(node);
  }
  BOOST_TEST(go.hear("go").starts_with("held"));
}

BOOST_AUTO_TEST_SUITE_END()
