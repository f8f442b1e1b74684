// The limit of a lock, and how many of its permits are taken.
#include "queue/permits.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

using queue::permits;

BOOST_AUTO_TEST_SUITE(queue_permits_part, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(what_is_free_is_what_is_left_of_the_limit) {
  permits it(3);
  BOOST_TEST(it.fit(3));
  BOOST_TEST(!it.fit(4));
  it.count_others(1);
  BOOST_TEST(it.fit(2));
  it.take(2);
  BOOST_TEST(!it.fit(1));
  it.returned(1);
  BOOST_TEST(it.fit(1));
  BOOST_TEST(!it.fit(2));
}

BOOST_AUTO_TEST_CASE(limit_that_is_given_is_known_always) {
  permits it(3);
  BOOST_TEST(it.is_limit_known());
  it.disconnected();
  BOOST_TEST(it.is_limit_known());
}

BOOST_AUTO_TEST_CASE(limit_is_asked_for_once_at_a_time) {
  permits it({});
  BOOST_TEST(!it.is_limit_known());
  BOOST_TEST(!it.most().has_value());
  BOOST_TEST(it.ask_limit());
  BOOST_TEST(!it.ask_limit());
  BOOST_TEST(it.limit_answered(2));
  BOOST_TEST(it.is_limit_known());
  BOOST_TEST(it.most().value() == 2u);
  BOOST_TEST(it.ask_limit());
  BOOST_TEST(!it.is_limit_known());
  BOOST_TEST(!it.limit_answered(5));
  BOOST_TEST(it.fit(5));
}

BOOST_AUTO_TEST_CASE(limit_may_be_another_one_after_a_lost_connection) {
  permits it({});
  it.ask_limit();
  it.limit_answered(2);
  it.disconnected();
  BOOST_TEST(!it.is_limit_known());
  BOOST_TEST(it.ask_limit());
  it.limit_answered(2);
  BOOST_TEST(it.is_limit_known());
}

BOOST_AUTO_TEST_CASE(answer_without_a_limit_makes_the_next_one_the_first) {
  permits it({});
  it.ask_limit();
  BOOST_TEST(it.limit_answered(2));
  it.ask_limit();
  it.limit_answered({});
  BOOST_TEST(!it.is_limit_known());
  BOOST_TEST(it.limit_answered(2));
}

BOOST_AUTO_TEST_CASE(one_permit_may_be_waited_for_where_there_are_none) {
  permits it(0);
  BOOST_TEST(it.most().value() == 1u);
  BOOST_TEST(!it.fit(1));
}

BOOST_AUTO_TEST_CASE(list_is_watched_until_the_watch_fires_or_the_list_is_refused) {
  permits it(3);
  BOOST_TEST(!it.is_watched());
  it.begin_list(7);
  BOOST_TEST(it.is_listing());
  BOOST_TEST(it.list_order() == 7u);
  it.list_answered(true);
  BOOST_TEST(!it.is_listing());
  BOOST_TEST(it.is_watched());
  it.watch_fired();
  BOOST_TEST(!it.is_watched());
  it.begin_list(8);
  it.list_answered(false);
  BOOST_TEST(!it.is_watched());
}

BOOST_AUTO_TEST_CASE(lost_connection_voids_the_count_but_not_what_is_ours) {
  permits it(3);
  it.set_count_known(true);
  it.begin_list(1);
  it.take(3);
  it.disconnected();
  BOOST_TEST(!it.is_count_known());
  BOOST_TEST(!it.is_listing());
  BOOST_TEST(!it.is_watched());
  BOOST_TEST(!it.fit(1));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
