#include "zookeeper/backoff.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using zklock::zookeeper::backoff;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(backoffs)

BOOST_AUTO_TEST_CASE(delay_is_zero_at_first_then_doubles_up_to_a_second) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::minstd_rand random(seed);
    backoff delays;
    for (int round = 0; round < 2; ++round) {
      BOOST_TEST((delays.next(random) == 0ms));
      for (auto middle = 10ms; middle < 5000ms; middle *= 2) {
        const auto expected = std::min<std::chrono::milliseconds>(middle, 1s);
        const auto delay = delays.next(random);
        BOOST_TEST((delay >= expected / 2 && delay <= expected + expected / 2));
      }
      delays.reset();
    }
  }
}

BOOST_AUTO_TEST_CASE(another_bound_holds_from_the_next_delay_on) {
  std::minstd_rand random(1);
  backoff delays;
  for (int i = 0; i < 20; ++i)
    delays.next(random);
  BOOST_TEST((delays.next(random, 8s) >= 1s && delays.next(random, 8s) >= 2s));
  BOOST_TEST((delays.next(random, 8s) >= 4s && delays.next(random, 8s) <= 12s));
  BOOST_TEST((delays.next(random) <= 1500ms));
}

BOOST_AUTO_TEST_CASE(delays_of_two_clients_differ) {
  std::minstd_rand one(1), other(2);
  backoff here, there;
  int same = 0;
  for (int i = 0; i < 50; ++i)
    same += here.next(one) == there.next(other);
  BOOST_TEST(same < 10);
}

BOOST_AUTO_TEST_SUITE_END()
