// The requests of the first uses of a lock, and of its later uses.

#include "subject.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_uses, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(nothing_is_asked_for_before_the_connection) {
  subject it;
  BOOST_TEST(it.acquire(1) == "");
  BOOST_TEST(it.try_acquire(2) == "");
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.connected() == "make directory, create 1, list");
}

BOOST_AUTO_TEST_CASE(the_first_use_asks_for_all_in_one_breath) {
  subject it;
  BOOST_TEST(it.connected() == "");
  BOOST_TEST(it.acquire(1) == "make directory, create 1, list");
  BOOST_TEST(it.created(1, 5) == "");
  BOOST_TEST(it.listed({it.own(1, 5)}) == "grant 1");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(a_new_directory_needs_no_answer_to_the_list) {
  subject it;
  it.connected();
  it.acquire(1);
  BOOST_TEST(it.created(1, 0) == "grant 1");
  BOOST_TEST(it.listed({it.own(1, 0)}) == "");
}

BOOST_AUTO_TEST_CASE(the_second_use_watches_the_directory_and_the_third_only_creates) {
  subject it;
  it.make_first();
  it.release(1);
  it.removed(1);
  BOOST_TEST(it.acquire(2) == "create 2, list, watch directory");
  BOOST_TEST(it.created(2, 6) == "");
  BOOST_TEST(it.listed({it.own(2, 6)}) == "grant 2");
  BOOST_TEST(it.directory_watched() == "");
  BOOST_TEST(it.release(2) == "delete 2");
  BOOST_TEST(it.acquire(3) == "create 3");
  BOOST_TEST(it.removed(2) == "forget 2");
  BOOST_TEST(it.created(3, 7) == "grant 3");
}

BOOST_AUTO_TEST_CASE(create_that_finds_no_directory_is_no_use_of_its_own) {
  subject it;
  it.connected();
  it.acquire(1);
  BOOST_TEST(it.not_created(1, queue::answer::no_node) == "make parents");
  it.not_listed(queue::answer::no_node);
  BOOST_TEST(it.directory_made() == "create 2, list");
  BOOST_TEST(it.created(2, 0) == "grant 1 by 2");
  it.listed({it.own(2, 0)});
  it.release(1);
  it.removed(2);
  BOOST_TEST(it.acquire(2) == "create 3, list, watch directory");
}

BOOST_AUTO_TEST_CASE(without_a_watch_what_is_known_ends_with_the_last_entry) {
  subject it;
  it.make_first();
  BOOST_TEST(it.acquire(2) == "create 2, watch directory");
  BOOST_TEST(it.created(2, 6) == "");
  BOOST_TEST(it.directory_watched(queue::answer::failed) == "");
  BOOST_TEST(it.release(2) == "forget 2, delete 2");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.acquire(3) == "create 3, list, watch directory");
}

BOOST_AUTO_TEST_CASE(a_gap_needs_a_list_and_the_next_create_brings_one_along) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.directory_watched();
  BOOST_TEST(it.created(2, 8) == "list");
  BOOST_TEST(it.listed({it.own(1, 5), it.own(2, 8), it.other(6)}) == "watch 6");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.release(2) == "forget 2, delete 2");
  BOOST_TEST(it.acquire(3) == "create 3, list");
  BOOST_TEST(it.created(3, 9) == "");
}

BOOST_AUTO_TEST_CASE(entry_that_came_and_went_before_a_list_leaves_no_gap) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  BOOST_TEST(it.listed({it.own(1, 5)}, 9) == "grant 1");
  it.acquire(2);
  BOOST_TEST(it.created(2, 9) == "");
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
}

BOOST_AUTO_TEST_CASE(there_is_one_list_at_a_time) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.acquire(3);
  BOOST_TEST(it.created(2, 7) == "list");
  BOOST_TEST(it.created(3, 9) == "");
  BOOST_TEST(it.listed({it.own(1, 5), it.own(2, 7), it.own(3, 9)}) == "");
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
}

BOOST_AUTO_TEST_CASE(an_event_of_the_directory_ends_what_is_known) {
  for (const bool deleted : {false, true}) {
    subject it;
    it.make_first();
    it.acquire(2);
    it.directory_watched();
    it.created(2, 6);
    it.release(2);
    it.release(1);
    BOOST_TEST(it.directory_changed(deleted) == "");
    BOOST_TEST(it.acquire(3) == (deleted ? "make directory, create 3, list, watch directory"
                                         : "create 3, list, watch directory"));
  }
}

BOOST_AUTO_TEST_CASE(a_list_older_than_the_create_says_nothing) {
  subject it;
  it.connected();
  BOOST_TEST(it.try_acquire(1) == "list");
  it.release(1);
  it.acquire(2);
  BOOST_TEST(it.listed({it.other(3)}) == "");
  // The directory may have been made again in between.
  BOOST_TEST(it.created(1, 4) == "list");
}

BOOST_AUTO_TEST_CASE(the_directory_and_its_parents_are_made_where_they_are_missing) {
  subject it;
  it.connected();
  it.acquire(1);
  it.acquire(2);
  BOOST_TEST(it.not_created(1, queue::answer::no_node) == "make parents");
  BOOST_TEST(it.not_listed(queue::answer::no_node) == "");
  BOOST_TEST(it.not_created(2, queue::answer::no_node) == "");
  BOOST_TEST(it.directory_made() == "create 3, list, create 4, watch directory");
}

BOOST_AUTO_TEST_CASE(all_are_refused_without_parents) {
  subject it;
  it.connected();
  it.acquire(1);
  it.try_acquire(2);
  it.not_created(1, queue::answer::no_node);
  BOOST_TEST(it.directory_made(queue::answer::no_node) == "refuse 1 (no chroot)");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(numbers_end) {
  subject it;
  it.connected();
  it.acquire(1);
  BOOST_TEST(it.created(1, queue::last_number + 1) == "refuse 1 (exhausted), delete 1");
  it.listed({});
  BOOST_TEST(it.removed(1) == "");
}

BOOST_AUTO_TEST_CASE(acquisition_without_permission_is_refused) {
  subject it;
  it.connected();
  it.acquire(1);
  BOOST_TEST(it.not_created(1, queue::answer::no_permission) == "refuse 1 (no permission)");
  BOOST_TEST(it.not_listed(queue::answer::no_permission) == "");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_deleted_is_told) {
  subject it;
  it.make_first();
  it.release(1);
  BOOST_TEST(it.removed(1, queue::answer::no_permission) == "forget 1 (no permission)");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
