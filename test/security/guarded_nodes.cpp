// Directories, limits, nodes of transactions and leadership that access lists guard.
#include "security/guarded_lock.hpp"
#include "support/counted_client.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(guarded_nodes, open_root, *boost::unit_test::timeout(120))

// A directory keeps the list that it was made with.
BOOST_AUTO_TEST_CASE(directory_with_an_open_list_lets_others_delete_entries) {
  const auto path = fresh_path("open");
  testing::raw_client stranger(shared_server().direct_address());
  stranger.create_all(path);
  background context;
  client zk(context.io, with(shared_server().address(), {all_of_creator}, owner_secret));
  mutex lock(zk, path);
  const hold held = get(lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  // The entry has the list of its creator: it can be neither read nor asked.
  BOOST_CHECK_THROW(stranger.get(held.node()), testing::server_error);
  BOOST_CHECK_THROW(stranger.set(held.node(), "__REVOKE__"), testing::server_error);
  stranger.remove(held.node());
  BOOST_TEST((get(lost) == errc::entry_deleted));
}

BOOST_AUTO_TEST_CASE(guarded_limit_of_a_semaphore_denies_its_permits) {
  const auto path = fresh_path("limited");
  const auto limit = path + "/limit";
  testing::raw_client witness(shared_server().direct_address());
  witness.add_auth("digest", owner_secret);
  witness.create_all(path);
  witness.create(limit, std::string("\0\0\0\1", 4), testing::create_mode::persistent,
                 {testing::creator_access()});
  background context;
  counted_client stranger(context);
  semaphore theirs(stranger.zk, path + "/semaphore", limit_node{limit});
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST((error_of(theirs.acquire(30s, asio::use_future)) == errc::no_permission));
    BOOST_TEST(stranger.door.total_requests() <= 12u);
    stranger.door.reset_counts();
    BOOST_TEST((error_of(theirs.try_acquire(asio::use_future)) == errc::no_permission));
    BOOST_TEST(stranger.door.total_requests() <= 12u);
    stranger.door.reset_counts();
  }
  wait_until([&] { return entries(witness, path + "/semaphore/locks") == 0; });
  BOOST_TEST(entries(witness, path + "/semaphore/leases") == 0u);
  client zk(context.io, with(shared_server().address(), {}, owner_secret));
  semaphore ours(zk, path + "/semaphore", limit_node{limit});
  const hold held = get(ours.acquire(30s, asio::use_future));
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(commit_to_a_guarded_node_fails_and_changes_nothing) {
  guarded_lock s(kind::exclusive, {all_of_creator}, strangers[1]);
  mutex own(s.stranger, fresh_path("own"));
  const hold held = get(own.acquire(30s, asio::use_future));
  const auto node = s.held.node();
  s.door.reset_counts();
  s.expect_denied(held.commit(transaction().remove(node), asio::use_future), "remove");
  s.expect_denied(held.commit(transaction().set(node, "__REVOKE__"), asio::use_future), "set");
  s.expect_denied(held.commit(transaction().create(s.path + "/lock-0000000000"), asio::use_future),
                  "create");
  BOOST_TEST(held.owns_lock());
  s.expect_unaffected();
}

BOOST_AUTO_TEST_CASE(candidate_without_permission_is_not_elected) {
  guarded_lock s(kind::exclusive, {all_of_creator}, strangers[1]);
  const election candidate(s.stranger, s.path);
  bool elected = false;
  const auto body = [&](hold&) -> asio::awaitable<void> {
    elected = true;
    co_return;
  };
  s.expect_denied(candidate.run(body, asio::use_future), "run");
  BOOST_TEST(!elected);
  s.expect_unaffected();
}

BOOST_AUTO_TEST_SUITE_END()
