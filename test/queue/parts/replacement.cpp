// Nodes that replace another node in a transaction whose outcome may be unknown.
#include "queue/replacement.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_replacement, *boost::unit_test::timeout(30))

using queue::answer;
using queue::replacement;
using outcome = queue::replacement::outcome;
using state = queue::replacement::state;

BOOST_AUTO_TEST_CASE(nothing_is_replaced_at_first) {
  const replacement it;
  BOOST_TEST(!it.is_open());
  BOOST_TEST(!it.is_done());
  BOOST_TEST(it.permits() == 0u);
}

BOOST_AUTO_TEST_CASE(transaction_that_succeeds_replaces) {
  replacement it;
  it.begin_permits(2);
  BOOST_TEST(it.is_open());
  BOOST_TEST((it.answered(answer::ok, false) == outcome::replaced));
  BOOST_TEST(it.is_done());
  BOOST_TEST(it.permits() == 2u);
}

BOOST_AUTO_TEST_CASE(transaction_that_fails_keeps_the_first_node) {
  for (const auto result : {answer::failed, answer::no_permission}) {
    replacement it;
    it.begin_reader();
    BOOST_TEST((it.answered(result, true) == outcome::unchanged));
    it.reset();
    BOOST_TEST((it.is() == state::none));
  }
}

BOOST_AUTO_TEST_CASE(missing_node_is_the_first_one_or_the_parent_of_the_others) {
  replacement it;
  it.begin_permits(1);
  BOOST_TEST((it.answered(answer::no_node, true) == outcome::lost));
  it.begin_permits(1);
  BOOST_TEST((it.answered(answer::no_node, false) == outcome::unchanged));
}

BOOST_AUTO_TEST_CASE(lost_reply_leaves_the_outcome_unconfirmed) {
  for (const bool is_reader : {false, true}) {
    replacement it;
    if (is_reader)
      it.begin_reader();
    else
      it.begin_permits(1);
    it.interrupt();
    BOOST_TEST((it.is() == state::unconfirmed));
    BOOST_TEST(it.is_open());
  }
}

BOOST_AUTO_TEST_CASE(lost_connection_changes_nothing_that_is_settled) {
  replacement it;
  it.interrupt();
  BOOST_TEST((it.is() == state::none));
  it.begin_reader();
  it.answered(answer::ok, false);
  it.interrupt();
  BOOST_TEST(it.is_done());
}

BOOST_AUTO_TEST_CASE(list_that_shows_a_reader_shows_all) {
  replacement it;
  it.begin_reader();
  it.interrupt();
  it.show();
  BOOST_TEST(it.is_all_shown());
  it.complete();
  BOOST_TEST(it.is_done());
}

BOOST_AUTO_TEST_CASE(list_that_shows_all_permits_shows_all) {
  replacement it;
  it.begin_permits(2);
  it.interrupt();
  it.show();
  it.show();
  BOOST_TEST(it.is_all_shown());
  it.complete();
  BOOST_TEST(it.is_done());
}

BOOST_AUTO_TEST_CASE(list_that_shows_a_part_leaves_a_rest_to_delete) {
  replacement it;
  it.begin_permits(2);
  it.interrupt();
  it.show();
  BOOST_TEST(it.is_shown());
  BOOST_TEST(!it.is_all_shown());
  BOOST_TEST(it.permits() == 2u);
}

BOOST_AUTO_TEST_CASE(list_that_shows_nothing_leaves_nothing) {
  replacement it;
  it.begin_permits(1);
  it.interrupt();
  BOOST_TEST(!it.is_shown());
}

BOOST_AUTO_TEST_CASE(each_list_counts_anew) {
  replacement it;
  it.begin_permits(2);
  it.answered(answer::ok, false);
  it.show();
  it.show();
  it.hide();
  it.show();
  BOOST_TEST(!it.is_all_shown());
}

BOOST_AUTO_TEST_CASE(nodes_that_may_not_be_listed_count_as_there) {
  replacement it;
  it.begin_permits(3);
  it.interrupt();
  it.assume_shown();
  BOOST_TEST(it.is_all_shown());
}

BOOST_AUTO_TEST_CASE(node_that_is_asked_for_settles_it_without_a_list) {
  replacement it;
  it.begin_reader();
  it.interrupt();
  it.inspect();
  BOOST_TEST((it.is() == state::inspecting));
  BOOST_TEST(it.is_open());
  BOOST_TEST((it.answered(answer::ok, true) == outcome::replaced));
}

BOOST_AUTO_TEST_CASE(question_that_is_lost_leaves_it_unconfirmed) {
  replacement it;
  it.begin_reader();
  it.interrupt();
  it.inspect();
  it.interrupt();
  BOOST_TEST((it.is() == state::unconfirmed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
