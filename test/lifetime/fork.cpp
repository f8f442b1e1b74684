// A fork while a client is in use: the session stays the parent's.
#include <zklock/testing/relay.hpp>

#include "support/world.hpp"
#include "testing/child_process.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock::test;
namespace testing = zklock::testing;

namespace {

struct forking {
  /// Runs the forker with this work, and returns its result.
  std::string outcome_of(const std::string& work, bool silent = false) {
    testing::child_process forker(
        {.command = {ZKLOCK_FORKER, door.address(), work, fresh_path()}, .piped = true});
    const auto began = forker.read_line();
    if (began != "holding") return began;
    if (silent) door.silence();
    forker.write_line("go on");
    return forker.read_line();
  }

  testing::relay door{shared_server().direct_address()};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(forks, forking, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(child_that_unwinds_leaves_the_session_alone) {
  for (const auto* work :
       {"child_unwinds", "context_goes_first", "child_releases", "child_looks"}) {
    door.reset_counts();
    BOOST_TEST_INFO_SCOPE(work);
    BOOST_TEST(outcome_of(work) == "good");
    BOOST_TEST(door.accepted() == 1);
    BOOST_TEST(door.requests(testing::operation::close_session) == 0);
  }
}

BOOST_AUTO_TEST_CASE(child_that_notifies_its_context_finds_the_client_closed) {
  BOOST_TEST(outcome_of("child_is_told") == "good");
  // The parent's session, and the child's own, which the child has closed.
  BOOST_TEST(door.accepted() == 2);
  BOOST_TEST(door.requests(testing::operation::close_session) == 1);
}

BOOST_AUTO_TEST_CASE(child_may_destroy_a_cached_hold_before_it_notifies_its_context) {
  BOOST_TEST(outcome_of("child_drops_a_cached_hold") == "good");
}

BOOST_AUTO_TEST_CASE(child_does_not_send_what_its_parent_holds_back) {
  BOOST_TEST(outcome_of("child_runs_what_is_held_back") == "good");
  BOOST_TEST(door.accepted() == 1);
}

BOOST_AUTO_TEST_CASE(child_exits_after_a_close) {
  BOOST_TEST(outcome_of("child_exits_after_close") == "good");
  BOOST_TEST(door.requests(testing::operation::close_session) == 1);
}

BOOST_AUTO_TEST_CASE(child_exits_while_a_session_closes) {
  BOOST_TEST(outcome_of("child_exits_while_closing", true) == "good");
}

BOOST_AUTO_TEST_SUITE_END()
