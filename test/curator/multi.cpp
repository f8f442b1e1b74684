// Curator's tests of InterProcessMultiLock.
#include "support/scene.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct multi_scene : blocking_scene {
  multi_scene() { witness.create_all(path); }

  /// Creates a directory with `rights` for other clients: 1 read, 4 create, 8 delete.
  void make(const std::string& node, int rights) {
    witness.create(node, "", testing::create_mode::persistent, {{rights, "world", "anyone"}});
    // The very first entry of a directory needs no list.
    witness.create(node + "/x-", "", testing::create_mode::ephemeral_sequential);
  }

  mutex a{zk, path + "/a"}, b{zk, path + "/b"}, c{zk, path + "/c"};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(curator_multi, multi_scene, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(some_releases_fail) {
  make(path + "/b", 1 | 4);
  multi_lock all(a, b, c);
  multi_hold held = get(all.acquire(10s, asio::use_future));
  BOOST_TEST(held.owns_lock());
  BOOST_TEST((error_of(held.release(asio::use_future)) == errc::no_permission));
  BOOST_TEST(entries(witness, path + "/a") == 0u);
  BOOST_TEST(entries(witness, path + "/c") == 0u);
  hold first = get(a.try_acquire(asio::use_future));
  BOOST_TEST(first.owns_lock());
}

BOOST_AUTO_TEST_CASE(some_locks_fail_to_lock) {
  make(path + "/b", 4 | 8);
  multi_lock all(a, b, c);
  BOOST_TEST((error_of(all.acquire(10s, asio::use_future)) == errc::no_permission));
  wait_until([&] { return entries(witness, path + "/a") == 0; });
  BOOST_TEST(entries(witness, path + "/c") == 0u);
  hold first = get(a.acquire(10s, asio::use_future));
  BOOST_TEST(first.owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
