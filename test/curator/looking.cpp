// Curator's tests of revocation and of participants.
#include "support/scene.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <future>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(curator_looking, two_blocking_clients, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(revoking) {
  mutex ours(zk, path), theirs(other, path);
  hold held = get(ours.acquire(10s, asio::use_future));
  auto requested = held.wait_release_requested(asio::use_future);
  auto waiting = theirs.acquire(10s, asio::use_future);
  wait_until([&] { return entries(witness, path) == 2; });
  const auto line = get(theirs.participants(asio::use_future));
  BOOST_TEST(line.at(0).node == held.node());
  get(theirs.request_release(line.at(0), asio::use_future));
  get(requested);
  BOOST_TEST(!is_ready(waiting));
  get(held.release(asio::use_future));
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
}

BOOST_AUTO_TEST_CASE(get_participant_nodes) {
  constexpr std::size_t readers = 20, writers = 8;
  shared_mutex ours(zk, path), theirs(other, path);
  std::vector<std::future<hold>> waiting;
  for (std::size_t i = 0; i < readers; ++i)
    waiting.push_back((i % 2 == 0 ? ours : theirs).acquire_shared(30s, asio::use_future));
  wait_until([&] { return entries(witness, path) == readers; });
  for (std::size_t i = 0; i < writers; ++i) {
    waiting.push_back((i % 2 == 0 ? ours : theirs).acquire(30s, asio::use_future));
    // They release in this order.
    wait_until([&] { return entries(witness, path) == readers + i + 1; });
  }
  const auto all = get(ours.participants(asio::use_future));
  const auto count = [&](participant_role role, bool holds) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& each) {
      return each.role == role && each.is_holder == holds;
    }));
  };
  BOOST_TEST(count(participant_role::shared, true) == readers);
  BOOST_TEST(count(participant_role::shared, false) == 0u);
  BOOST_TEST(count(participant_role::exclusive, true) == 0u);
  BOOST_TEST(count(participant_role::exclusive, false) == writers);
  BOOST_TEST(get(theirs.count_waiting(asio::use_future)) == writers);
  for (auto& each : waiting) {
    hold held = get(each);
    get(held.release(asio::use_future));
  }
}

BOOST_AUTO_TEST_CASE(get_participant_nodes_of_a_semaphore) {
  semaphore lock(zk, path, 10);
  std::vector<hold> held;
  for (std::size_t i = 1; i <= 10; ++i) {
    held.push_back(get(lock.acquire(10s, asio::use_future)));
    BOOST_TEST(get(lock.participants(asio::use_future)).size() == i);
  }
  auto waiting = lock.acquire(30s, asio::use_future);
  wait_until([&] { return entries(witness, path + "/locks") == 1; });
  BOOST_TEST(get(lock.participants(asio::use_future)).size() == 11u);
  BOOST_TEST(get(lock.count_waiting(asio::use_future)) == 1u);
  held.pop_back();
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
