#include "combiner_scene.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(write_combiner, *boost::unit_test::timeout(30))

using namespace combining;

namespace {

const auto each = boost::test_tools::per_element();

} // namespace

BOOST_FIXTURE_TEST_CASE(requests_are_held_until_the_flush, scene) {
  BOOST_TEST(create(a, 1));
  BOOST_TEST(remove(b, 2));
  BOOST_TEST(pass_on(c, 3));
  BOOST_TEST(to.sent.empty());
  combiner.flush();
  BOOST_TEST(to.take_sent() == strings{"(+a1)(-b2)(?cnext)(-cown)"}, each);
  combiner.flush();
  BOOST_TEST(to.take_sent().empty());
}

BOOST_FIXTURE_TEST_CASE(request_that_may_not_be_combined_is_not_held, scene) {
  const std::string path = "x";
  BOOST_TEST(!combiner.hold(zookeeper::create_entry{.path = path}, a, {}));
  BOOST_TEST(!combiner.hold(zookeeper::remove{.path = path}, a, {}));
  BOOST_TEST(!combiner.hold(zookeeper::list{.path = path}, a, {}));
  BOOST_TEST(!combiner.hold(zookeeper::transact{}, a, {}));
  BOOST_TEST(!combiner.hold(zookeeper::confirm{}, a, {}));
}

BOOST_FIXTURE_TEST_CASE(single_request_is_sent_as_it_is, scene) {
  create(a, 1);
  combiner.flush();
  remove(a, 2);
  combiner.flush();
  pass_on(a, 3);
  combiner.flush();
  BOOST_TEST(to.take_sent() == (strings{"+a1", "-a2", "(?anext)(-aown)"}), each);
  BOOST_TEST(to.sent[0].to == &a);
}

BOOST_FIXTURE_TEST_CASE(each_part_has_its_reply, scene) {
  remove(a, 1);
  create(b, 2);
  pass_on(c, 3);
  create(a, 4);
  combiner.flush();
  to.answer(status::ok, 77, {"b2-7", "a4-8"});
  BOOST_TEST(a.told == (strings{"1 ok", "4 ok a4-8 77"}), each);
  BOOST_TEST(b.told == strings{"2 ok b2-7 77"}, each);
  BOOST_TEST(c.told == strings{"3 ok"}, each);
}

// The zxid of the transaction is the fencing token of each.
BOOST_FIXTURE_TEST_CASE(two_creates_of_a_receiver_are_in_two_transactions, scene) {
  create(a, 1);
  create(b, 2);
  create(a, 3);
  create(b, 4);
  combiner.flush();
  BOOST_TEST(to.take_sent() == (strings{"(+a1)(+b2)", "(+a3)(+b4)"}), each);
}

BOOST_FIXTURE_TEST_CASE(transaction_has_at_most_128_writes, scene) {
  for (int i = 0; i < 127; ++i)
    remove(a, i);
  pass_on(b, 127);
  BOOST_TEST_REQUIRE(to.sent.size() == 1u);
  BOOST_TEST(to.sent[0].parts == 127u);
  remove(c, 1);
  combiner.flush();
  BOOST_TEST(to.sent[1].parts == 3u);
}

BOOST_FIXTURE_TEST_CASE(transaction_has_at_most_64_kilobytes, scene) {
  lock wide(std::string(1000, 'w'));
  for (int i = 0; i < 100; ++i)
    remove(wide, i);
  combiner.flush();
  BOOST_TEST_REQUIRE(to.sent.size() == 2u);
  BOOST_TEST(to.sent[0].parts == 63u);
  // A larger write goes alone.
  lock wider(std::string(100'000, 'w'));
  remove(a, 1);
  remove(wider, 1);
  remove(a, 2);
  combiner.flush();
  BOOST_TEST(to.sent.size() == 5u);
}

// Neither the requests that receivers have made meanwhile nor held back requests matter.
BOOST_FIXTURE_TEST_CASE(transaction_has_at_most_the_bytes_of_the_session, scene) {
  to.limit = 100;
  for (int i = 0; i < 6; ++i)
    remove(a, i);
  combiner.flush();
  BOOST_TEST(to.take_sent() == (strings{"(-a0)(-a1)", "(-a2)(-a3)", "(-a4)(-a5)"}), each);
}

BOOST_FIXTURE_TEST_CASE(failure_of_a_part_is_told_to_its_receiver_and_undoes_the_others, scene) {
  remove(a, 1);
  create(b, 2);
  pass_on(c, 3);
  create(a, 4);
  combiner.flush();
  combiner.flush_before(c);
  remove(b, 5);
  to.take_sent();
  to.fail(status::no_node, 3);
  BOOST_TEST(a.told == (strings{"1 undone", "4 undone"}), each);
  BOOST_TEST(b.told == strings{"2 undone"}, each);
  BOOST_TEST(c.told == strings{"3 failed at 1"}, each);
  BOOST_TEST(to.take_sent().empty());
  combiner.flush();
  BOOST_TEST(to.take_sent() == strings{"-b5"}, each);
}

// Each of them would have been refused alone.
BOOST_FIXTURE_TEST_CASE(transaction_that_is_refused_as_a_whole_is_refused_to_all, scene) {
  remove(a, 1);
  create(b, 2);
  combiner.flush();
  to.fail(status::failed);
  BOOST_TEST(a.told == strings{"1 failed"}, each);
  BOOST_TEST(b.told == strings{"2 failed"}, each);
}

// A part that an access list forbids is refused for all.
BOOST_FIXTURE_TEST_CASE(transaction_that_is_denied_as_a_whole_is_undone_for_all, scene) {
  remove(a, 1);
  remove(b, 2);
  combiner.flush();
  to.fail(status::no_permission);
  BOOST_TEST(a.told == strings{"1 undone"}, each);
  BOOST_TEST(b.told == strings{"2 undone"}, each);
}

// Such a create would be undone because of other locks.
BOOST_FIXTURE_TEST_CASE(parts_of_the_receiver_that_goes_on_are_sent_alone, scene) {
  remove(a, 1);
  remove(b, 2);
  remove(c, 3);
  create(c, 4);
  combiner.flush_before(c);
  BOOST_TEST(to.take_sent() == (strings{"(-a1)(-b2)", "-c3", "+c4"}), each);
  to.fail(status::no_node, 0);
  BOOST_TEST(a.told == strings{"1 failed at 0"}, each);
  BOOST_TEST(b.told == strings{"2 undone"}, each);
  BOOST_TEST(c.told.empty());
}

BOOST_FIXTURE_TEST_CASE(nothing_outlives_the_connection, scene) {
  remove(a, 1);
  remove(b, 2);
  combiner.flush();
  remove(c, 3);
  combiner.clear();
  combiner.flush();
  to.take_sent();
  remove(c, 4);
  remove(a, 5);
  combiner.flush();
  BOOST_TEST(to.take_sent() == strings{"(-c4)(-a5)"}, each);
  to.answered = 1;
  to.answer(status::ok);
  BOOST_TEST(c.told == strings{"4 ok"}, each);
  BOOST_TEST(a.told == strings{"5 ok"}, each);
  BOOST_TEST(b.told.empty());
}

BOOST_FIXTURE_TEST_CASE(rejected_server_has_no_more_replies, scene) {
  remove(a, 1);
  remove(b, 2);
  combiner.flush();
  to.delivers = false;
  to.answer(status::ok);
  BOOST_TEST(a.told.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
