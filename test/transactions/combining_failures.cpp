// Writes of many locks in a transaction, of which some fail.
#include "combining.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(combining_failures, *boost::unit_test::timeout(300))

namespace {

using scene = combining_scene;

} // namespace

// Another client broke a lock. The delete of its entry fails; all further deletes succeed.
BOOST_AUTO_TEST_CASE(part_that_fails_leaves_the_others_alone) {
  scene s(8);
  std::vector<hold> held;
  s.all([&](hold got) { held.push_back(std::move(got)); });
  s.witness.remove(held[3].node());
  s.door.reset_counts();
  std::size_t left = held.size();
  for (auto& each : held)
    each.release([&](error_code error) {
      BOOST_TEST(!error);
      --left;
    });
  run_until(s.io, [&] { return left == 0; });
  BOOST_TEST(requests_sent(s.door) == "remove=7 multi=1");
  BOOST_TEST(s.count_entries() == 0u);
  BOOST_TEST(s.zk.stats().reconnects == 0u);
  // The lock whose delete failed takes part again after its next write.
  s.all([](hold) {});
  s.settle();
  s.all([](const hold&) {});
  s.settle();
  BOOST_TEST(s.zk.stats().reconnects == 0u);
}

// It was empty, and the servers deleted it as they do with containers.
BOOST_AUTO_TEST_CASE(directory_that_was_deleted_is_made_again) {
  scene s(8);
  s.witness.remove(s.line(3));
  // The event comes before the replies to later requests.
  bool released = false;
  s.locks.front().acquire(
      30s, [&](error_code, hold got) { got.release([&](error_code) { released = true; }); });
  run_until(s.io, [&] { return released; });
  std::size_t granted = 0;
  s.all([&](const hold& got) { granted += got.owns_lock(); });
  BOOST_TEST(granted == 8u);
  s.settle();
  BOOST_TEST(s.zk.stats().reconnects == 0u);
}

// The event of its end is still on its way: the transaction fails, and the connection stays.
BOOST_AUTO_TEST_CASE(directory_that_vanishes_unseen_is_made_again) {
  scene s(8);
  s.door.silence(testing::direction::to_client);
  s.witness.remove(s.line(3));
  std::size_t granted = 0;
  for (auto& lock : s.locks)
    lock.acquire(30s, [&](error_code error, const hold& got) {
      BOOST_TEST(!error);
      granted += got.owns_lock();
    });
  run_until(s.io, [&] { return s.door.total_requests() != 0; });
  BOOST_TEST(requests_sent(s.door) == "multi=1");
  s.door.heal();
  run_until(s.io, [&] { return granted == 8; });
  s.settle();
  BOOST_TEST(s.zk.stats().reconnects == 0u);
}

// All locks have made further requests when the failure is heard of, and a commit is under way.
BOOST_AUTO_TEST_CASE(failure_behind_which_locks_went_on_keeps_the_connection) {
  scene s(8);
  mutex other(s.zk, s.path + "/other");
  hold committing;
  bool held = false;
  other.acquire(30s, [&](error_code error, hold got) {
    BOOST_TEST(!error);
    committing = std::move(got);
    held = true;
  });
  run_until(s.io, [&] { return held; });
  s.door.reset_counts();
  s.door.silence(testing::direction::to_client);
  s.witness.remove(s.line(3));
  std::size_t granted = 0;
  const auto acquire_all = [&] {
    for (auto& lock : s.locks)
      lock.acquire(30s, [&](error_code error, const hold& got) {
        BOOST_TEST(!error);
        granted += got.owns_lock();
      });
  };
  acquire_all();
  run_until(s.io, [&] { return s.door.total_requests() == 1; });
  acquire_all();
  run_until(s.io, [&] { return s.door.total_requests() == 2; });
  bool committed = false;
  committing.commit(transaction().check(s.path), [&](error_code error, const commit_result&) {
    BOOST_TEST(!error);
    committed = true;
  });
  run_until(s.io, [&] { return s.door.total_requests() == 3; });
  BOOST_TEST(requests_sent(s.door) == "multi=3");
  s.door.heal();
  run_until(s.io, [&] { return granted == 16 && committed; });
  BOOST_TEST(committing.owns_lock());
  s.settle();
  BOOST_TEST(s.zk.stats().reconnects == 0u);
}

// It never succeeds, so it never takes part.
BOOST_AUTO_TEST_CASE(denied_lock_spoils_nothing) {
  scene s(8);
  const auto denied = s.path + "/denied";
  s.witness.add_auth("digest", "someone:else");
  s.witness.create(denied, "", testing::create_mode::persistent, {testing::creator_access()});
  mutex forbidden(s.zk, denied);
  for (int i = 0; i < 3; ++i) {
    bool refused = false;
    forbidden.acquire(30s, [&](error_code error, const hold&) {
      BOOST_TEST((error == errc::no_permission));
      refused = true;
    });
    s.all([](hold) {});
    run_until(s.io, [&] { return refused; });
    s.settle();
  }
  BOOST_TEST(s.zk.stats().reconnects == 0u);
}

// The end of the session deletes all entries: to be deleted, and just created.
BOOST_AUTO_TEST_CASE(close_with_writes_held_back_leaves_nothing) {
  scene s(8);
  std::vector<hold> held;
  s.all([&](hold got) { held.push_back(std::move(got)); });
  s.door.reset_counts();
  std::size_t released = 0;
  std::size_t refused = 0;
  bool closed = false;
  asio::post(s.io, [&] {
    for (auto& each : held)
      each.release([&](error_code) { ++released; });
    for (auto& lock : s.locks)
      lock.acquire(30s, [&](error_code error, const hold&) {
        BOOST_TEST((error == errc::closed));
        ++refused;
      });
    s.zk.close([&](error_code error) {
      BOOST_TEST(!error);
      closed = true;
    });
  });
  run_until(s.io, [&] { return closed && released == 8 && refused == 8; });
  BOOST_TEST(s.door.requests(testing::operation::close_session) == 1u);
  BOOST_TEST(s.door.total_requests() == 1u);
  BOOST_TEST(s.count_entries() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
