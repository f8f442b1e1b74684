#include "zookeeper/cut_requests.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(cut_requests, *boost::unit_test::timeout(30))

using zookeeper::request_label;

namespace {

constexpr request_label check(std::size_t bytes) {
  return {.name = "check nodes", .bytes = bytes};
}
constexpr request_label list{.name = "list children"};

} // namespace

BOOST_AUTO_TEST_CASE(cuts_behind_one_kind_of_request_are_counted_until_a_reply) {
  zookeeper::cut_requests cuts;
  cuts.ended_behind(list);
  cuts.ended_behind(list);
  BOOST_TEST(cuts.count() == 2);
  cuts.answered(check(10));
  BOOST_TEST(cuts.count() == 2);
  cuts.answered(list);
  BOOST_TEST(cuts.count() == 0);
  cuts.ended_behind(list);
  cuts.ended_behind(check(10));
  BOOST_TEST(cuts.count() == 1);
}

BOOST_AUTO_TEST_CASE(transaction_behind_which_a_connection_ends_is_halved) {
  zookeeper::cut_requests cuts;
  BOOST_TEST(cuts.most_bytes() == 65536u);
  cuts.ended_behind(check(40'000));
  BOOST_TEST(cuts.most_bytes() == 20'000u);
  cuts.ended_behind(check(19'000));
  BOOST_TEST(cuts.most_bytes() == 9'500u);
}

// The network has ended the connection.
BOOST_AUTO_TEST_CASE(transaction_no_larger_than_one_with_a_reply_is_not_halved) {
  zookeeper::cut_requests cuts;
  cuts.answered(check(30'000));
  for (int i = 0; i < 10; ++i)
    cuts.ended_behind(check(30'000));
  cuts.ended_behind(list);
  BOOST_TEST(cuts.most_bytes() == 65536u);
  cuts.ended_behind(check(30'002));
  BOOST_TEST(cuts.most_bytes() == 15'001u);
}

// They cannot be divided, or a server refuses nearly everything.
BOOST_AUTO_TEST_CASE(single_large_transactions_and_small_ones_change_little) {
  zookeeper::cut_requests cuts;
  cuts.ended_behind(check(1'000'000));
  BOOST_TEST(cuts.most_bytes() == 65536u);
  for (int i = 0; i < 10; ++i)
    cuts.ended_behind(check(100));
  BOOST_TEST(cuts.most_bytes() == 1024u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
