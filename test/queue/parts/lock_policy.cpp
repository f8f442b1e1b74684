// Which entries may hold, by the kind of the lock.
#include "queue/lock_policy.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

using queue::lock_policy;
using queue::predecessors;
using queue::role;

namespace {

predecessors behind(std::initializer_list<role> entries) {
  predecessors before;
  for (const auto wants : entries)
    before.add(wants);
  return before;
}

} // namespace

BOOST_AUTO_TEST_SUITE(queue_lock_policy, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(only_the_first_of_an_exclusive_line_may_hold) {
  for (const lock_policy policy : {lock_policy::exclusive, lock_policy::counted}) {
    BOOST_TEST(policy.may_hold({}, role::exclusive));
    BOOST_TEST(!policy.may_hold(behind({role::exclusive}), role::exclusive));
    BOOST_TEST(policy.blocks_all(behind({role::exclusive})));
    BOOST_TEST(policy.conflicts(role::exclusive, role::exclusive));
    BOOST_TEST(!policy.may_be_replaced(role::exclusive));
  }
}

BOOST_AUTO_TEST_CASE(entries_of_other_kinds_count_as_exclusive) {
  const lock_policy exclusive = lock_policy::exclusive;
  const lock_policy shared = lock_policy::shared;
  BOOST_TEST((exclusive.seen_as(role::shared) == role::exclusive));
  BOOST_TEST((shared.seen_as(role::shared) == role::shared));
}

BOOST_AUTO_TEST_CASE(readers_hold_behind_readers_and_writers_behind_nothing) {
  const lock_policy shared = lock_policy::shared;
  const auto readers = behind({role::shared, role::shared});
  BOOST_TEST(shared.may_hold(readers, role::shared));
  BOOST_TEST(!shared.may_hold(readers, role::exclusive));
  BOOST_TEST(!shared.blocks_all(readers));
  BOOST_TEST(!shared.conflicts(role::shared, role::shared));
  BOOST_TEST(shared.conflicts(role::shared, role::exclusive));
  const auto writer = behind({role::shared, role::exclusive});
  BOOST_TEST(!shared.may_hold(writer, role::shared));
  BOOST_TEST(shared.blocks_all(writer));
}

BOOST_AUTO_TEST_CASE(predecessor_that_leaves_does_not_count) {
  auto before = behind({role::exclusive, role::shared});
  before.remove(role::exclusive);
  const lock_policy shared = lock_policy::shared;
  BOOST_TEST(shared.may_hold(before, role::shared));
  BOOST_TEST(before.entries == 1u);
}

BOOST_AUTO_TEST_CASE(writer_may_become_a_reader_of_a_shared_lock_only) {
  const lock_policy shared = lock_policy::shared;
  BOOST_TEST(shared.may_be_replaced(role::exclusive));
  BOOST_TEST(!shared.may_be_replaced(role::shared));
}

BOOST_AUTO_TEST_CASE(only_a_counted_lock_is_held_by_permits) {
  BOOST_TEST(lock_policy(lock_policy::counted).holds_by_permits());
  BOOST_TEST(!lock_policy(lock_policy::exclusive).holds_by_permits());
  BOOST_TEST(!lock_policy(lock_policy::shared).holds_by_permits());
}

BOOST_AUTO_TEST_CASE(labels_are_those_of_curator) {
  BOOST_TEST(lock_policy(lock_policy::exclusive).label(role::exclusive) == "-lock-");
  BOOST_TEST(lock_policy(lock_policy::counted).label(role::exclusive) == "-lock-");
  BOOST_TEST(lock_policy(lock_policy::shared).label(role::shared) == "-__READ__");
  BOOST_TEST(lock_policy(lock_policy::shared).label(role::exclusive) == "-__WRIT__");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
