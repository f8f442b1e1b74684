// The knowledge that a queue without acquisitions leaves to a later queue of its lock.

#include "subject.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

namespace {

/// A queue that has used its lock twice: the directory is watched, and numbers up to 6 are gone.
struct used_twice : subject {
  used_twice() {
    begin_second_use();
    directory_watched();
  }

  void release_and_forget() {
    BOOST_TEST(release(2) == "delete 2");
    BOOST_TEST(removed(2) == "forget 2");
    BOOST_TEST(empty());
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(queue_resting, *boost::unit_test::timeout(30))

BOOST_FIXTURE_TEST_CASE(later_queue_goes_on_where_the_queue_ended, used_twice) {
  release_and_forget();
  subject later;
  BOOST_TEST(later.resumed(knowledge()) == "");
  BOOST_TEST(later.acquire(1) == "create 1");
  BOOST_TEST(later.created(1, 7) == "grant 1");
  BOOST_TEST(later.release(1) == "delete 1");
  BOOST_TEST(later.removed(1) == "forget 1");
  BOOST_TEST(later.acquire(2) == "create 2");
}

BOOST_FIXTURE_TEST_CASE(number_that_does_not_follow_needs_a_list, used_twice) {
  release_and_forget();
  subject later;
  later.resumed(knowledge());
  later.acquire(1);
  BOOST_TEST(later.created(1, 8) == "list");
  BOOST_TEST(later.listed({other(7), later.own(1, 8)}) == "watch 7");
}

BOOST_FIXTURE_TEST_CASE(watch_that_fires_ends_the_knowledge_of_the_later_queue, used_twice) {
  release_and_forget();
  for (const bool deleted : {false, true}) {
    subject later;
    later.resumed(knowledge());
    BOOST_TEST(later.directory_changed(deleted) == "");
    BOOST_TEST(later.acquire(1) == (deleted ? "make directory, create 1, list, watch directory"
                                            : "create 1, list, watch directory"));
  }
}

BOOST_AUTO_TEST_CASE(directory_that_is_not_watched_is_listed_anew) {
  subject it;
  it.make_first();
  it.release(1);
  it.removed(1);
  const auto known = it.knowledge();
  BOOST_TEST(known.has_directory);
  BOOST_TEST(!known.is_watched);
  BOOST_TEST(!known.gone_up_to);
  subject later;
  later.resumed(known);
  BOOST_TEST(later.acquire(1) == "create 1, list, watch directory");
}

// The watches on entries of other clients end with the queue.
BOOST_FIXTURE_TEST_CASE(entries_of_other_clients_are_not_known_to_a_later_queue, used_twice) {
  acquire(3);
  created(3, 8);
  listed({own(2, 6), other(7), own(3, 8)});
  release(2);
  removed(2);
  release(3);
  removed(3);
  BOOST_TEST(empty());
  const auto known = knowledge();
  BOOST_TEST(known.is_watched);
  BOOST_TEST(!known.gone_up_to);
  subject later;
  later.resumed(known);
  BOOST_TEST(later.acquire(1) == "create 1, list");
}

BOOST_AUTO_TEST_CASE(queue_that_was_never_used_leaves_nothing) {
  subject it;
  it.connected();
  const auto known = it.knowledge();
  BOOST_TEST(!known.has_directory);
  BOOST_TEST(!known.is_watched);
  subject later;
  later.resumed(known);
  BOOST_TEST(later.acquire(1) == "make directory, create 1, list");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
