// Which nodes of the session a queue knows: servers with older data show further nodes.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

namespace zklock::test {

using queue::answer;
using queue::role;

BOOST_AUTO_TEST_SUITE(queue_own_nodes, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(node_of_an_entry_is_known_from_the_create_until_the_delete_is_confirmed) {
  subject it;
  it.connected();
  BOOST_TEST(!it.accounts_for(1));
  it.acquire(1);
  BOOST_TEST(it.accounts_for(1));
  it.created(1, 0);
  it.listed({it.own(1, 0)});
  BOOST_TEST(it.accounts_for(1));
  it.release(1);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.accounts_for(1));
  it.listed({it.own(1, 0)});
  it.removed(1);
  BOOST_TEST(!it.accounts_for(1));
}

BOOST_AUTO_TEST_CASE(node_that_was_replaced_is_not_known_any_more) {
  const queue::form permit{.is_permit = true};
  of_three s;
  s.it.make_first();
  BOOST_TEST(!s.it.accounts_for(1, permit));
  s.it.permits_listed();
  BOOST_TEST(s.it.accounts_for(1));
  BOOST_TEST(s.it.accounts_for(1, permit));
  s.it.taken(1);
  BOOST_TEST(!s.it.accounts_for(1));
  BOOST_TEST(s.it.accounts_for(1, permit));
}

BOOST_AUTO_TEST_CASE(orphan_is_known_until_it_is_deleted) {
  subject it;
  it.make_first();
  it.release(1);
  it.removed(1);
  it.acquire(2);
  it.created(2, 6);
  const auto orphan = it.own(7, 3);
  it.listed({orphan, it.own(2, 6)});
  BOOST_TEST(it.accounts_for(7, {}, orphan));
  BOOST_TEST(!it.accounts_for(8, {}, it.own(8, 4)));
}

BOOST_AUTO_TEST_CASE(any_node_may_be_there_after_a_create_without_a_reply) {
  subject it;
  it.connected();
  it.acquire(1);
  it.disconnected();
  BOOST_TEST(it.accounts_for(7));
}

BOOST_AUTO_TEST_CASE(any_node_may_be_there_where_one_may_not_be_deleted) {
  subject it;
  it.make_first();
  it.release(1);
  BOOST_TEST(it.removed(1, answer::no_permission) == "forget 1 (no permission)");
  BOOST_TEST(it.accounts_for(1));
}

BOOST_AUTO_TEST_CASE(reader_goes_on_where_a_list_shows_the_node_of_its_writer_too) {
  for (const bool is_known : {true, false})
    for (const bool is_released : {true, false})
      for (const bool is_first : {true, false}) {
        subject it({.policy = queue::lock_policy::shared});
        it.make_first();
        it.downgrade(1);
        if (is_known) it.downgraded(1);
        it.disconnected();
        if (is_released) it.release(1);
        it.connected();
        const auto writer = it.own(1, 5);
        const auto reader = it.own(1, 5, role::shared);
        const auto shown = is_first ? std::vector{writer, reader} : std::vector{reader, writer};
        const auto ended = it.listed(shown);
        BOOST_TEST(ended.find("delete " + writer) != ended.npos);
        BOOST_TEST((ended.find("delete 1") != ended.npos) == is_released);
        BOOST_TEST(ended.find("lose") == ended.npos);
        BOOST_TEST(it.orphan_removed(writer, answer::no_node) == "");
        if (!is_released) it.release(1);
        BOOST_TEST(it.removes() == reader);
        it.removed(1);
        BOOST_TEST(it.empty());
      }
}

BOOST_AUTO_TEST_CASE(permits_go_on_where_a_list_shows_the_node_that_they_have_replaced) {
  for (const bool is_known : {true, false})
    for (const bool is_released : {true, false}) {
      of_three s;
      s.it.make_first({.permits = 2});
      s.it.permits_listed();
      if (is_known) s.it.taken(1);
      s.it.disconnected();
      if (is_released) s.it.release(1);
      s.it.connected();
      s.it.permits_listed({s.it.permit(1, 0), s.it.permit(1, 1)});
      const auto node = s.it.own(1, 5);
      auto ended = s.it.listed({node});
      BOOST_TEST(ended.find("delete " + node) != ended.npos);
      BOOST_TEST(ended.find("lose") == ended.npos);
      BOOST_TEST(s.it.orphan_removed(node, answer::no_node) == "");
      if (!is_known && !is_released) s.it.inspected(1);
      if (!is_released) ended = s.it.release(1);
      BOOST_TEST(ended.find("delete 2 permits of 1") != ended.npos);
      s.it.removed(1);
      BOOST_TEST(s.it.empty());
    }
}

BOOST_AUTO_TEST_CASE(nodes_with_the_name_of_an_entry_are_deleted) {
  for (const bool is_created : {true, false}) {
    subject it({.policy = queue::lock_policy::shared});
    it.connected();
    it.acquire(1);
    if (is_created) {
      it.created(1, 5);
      it.listed({it.own(1, 5)});
    }
    it.disconnected();
    it.connected();
    const auto later = it.own(1, 7), reader = it.own(1, 5, role::shared);
    const auto ended = it.listed({it.own(1, 5), later, reader, it.own(1, 5)});
    BOOST_TEST(ended.find("delete " + later) != ended.npos);
    BOOST_TEST(ended.find("delete " + reader) != ended.npos);
    BOOST_TEST(ended.find("lose") == ended.npos);
    if (!is_created) it.inspected(1);
    BOOST_TEST(it.release(1) == "delete 1");
    BOOST_TEST(it.removes() == it.own(1, 5));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
