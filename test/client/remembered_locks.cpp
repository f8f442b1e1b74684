// The locks that a client has not used for a while.
#include "client/remembered_locks.hpp"

#include "recorder.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace zklock::test {

namespace {

using std::chrono_literals::operator""s;

struct remembering {
  using time_point = detail::remembered_locks::time_point;

  /// The lock has a watch, and numbers up to 6 are gone.
  void add(const std::string& line, time_point since = {}) {
    detail::idle_lock kept{.known = {.has_directory = true, .is_watched = true, .gone_up_to = 6},
                           .writes_succeed = true};
    kept.made.set(detail::made_line);
    by.watches().asked(&locks, line, zookeeper::watch_kind::node);
    by.watches().answered(&locks, line, zookeeper::watch_kind::node, true);
    locks.add(line, kept, since);
  }

  recorder by;
  detail::remembered_locks locks{by};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(remembered_locks, remembering, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(lock_is_taken_once_with_all_that_is_known) {
  add("/a");
  BOOST_TEST(!locks.take("/b"));
  const auto kept = locks.take("/a");
  BOOST_TEST_REQUIRE(kept.has_value());
  BOOST_TEST(kept->known.has_directory);
  BOOST_TEST(kept->known.is_watched);
  BOOST_TEST((kept->known.gone_up_to == 6));
  BOOST_TEST(kept->made.test(detail::made_line));
  BOOST_TEST(kept->writes_succeed);
  BOOST_TEST(!locks.take("/a"));
  BOOST_TEST(by.unwatched.empty());
}

BOOST_AUTO_TEST_CASE(knowledge_ends_with_its_watch) {
  add("/a");
  add("/b");
  add("/c");
  locks.directory_changed("/a", false);
  locks.directory_changed("/b", true);
  const auto changed = locks.take("/a");
  BOOST_TEST_REQUIRE(changed.has_value());
  BOOST_TEST(!changed->known.is_watched);
  BOOST_TEST(!changed->known.gone_up_to);
  BOOST_TEST(changed->known.has_directory);
  BOOST_TEST(changed->made.test(detail::made_line));
  const auto deleted = locks.take("/b");
  BOOST_TEST_REQUIRE(deleted.has_value());
  BOOST_TEST(!deleted->known.is_watched);
  BOOST_TEST(!deleted->known.gone_up_to);
  BOOST_TEST(!deleted->known.has_directory);
  BOOST_TEST(deleted->made.none());
  locks.disconnected();
  const auto cut = locks.take("/c");
  BOOST_TEST_REQUIRE(cut.has_value());
  BOOST_TEST(!cut->known.is_watched);
  BOOST_TEST(!cut->known.gone_up_to);
  BOOST_TEST(cut->known.has_directory);
  BOOST_TEST(!cut->writes_succeed);
  BOOST_TEST(cut->made.test(detail::made_line));
}

BOOST_AUTO_TEST_CASE(oldest_lock_is_forgotten_with_its_watch) {
  add("/a", time_point(1s));
  add("/b", time_point(2s));
  add("/c", time_point(3s));
  locks.directory_changed("/b", false);
  by.watches().fired("/b", zookeeper::watch_event::node);
  BOOST_TEST(!locks.is_any_unused_since(time_point(0s)));
  BOOST_TEST(locks.is_any_unused_since(time_point(1s)));
  for (const auto* line : {"/a", "/b"}) {
    const auto forgotten = locks.forget_oldest();
    BOOST_TEST(forgotten.line == line);
    BOOST_TEST(forgotten.made.test(detail::made_line));
  }
  BOOST_TEST(by.unwatched == strings{"/a"}, each);
  BOOST_TEST(locks.size() == 1);
  BOOST_TEST(locks.take("/c").has_value());
  BOOST_TEST(!locks.is_any_unused_since(time_point(9s)));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
