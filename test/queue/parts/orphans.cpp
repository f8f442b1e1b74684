// Nodes of ours that belong to no entry.
#include "queue/orphans.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace zklock::test {

using queue::action;
using queue::answer;

namespace {

struct deleting {
  queue::orphans it;

  // The actions after an event.
  template <class Event>
  std::string after(Event event) {
    queue::entry_id last_entry = 0;
    std::vector<action> actions;
    queue::event_context context{.last_entry = last_entry, .actions = actions};
    event(context);
    std::string sent;
    for (const auto& each : actions) {
      const bool is_permit = each.what == action::kind::remove_orphan_permit;
      sent += (sent.empty() ? "" : ", ") + std::string(is_permit ? "permit " : "") + each.name;
    }
    return sent;
  }

  std::string remove(const std::string& name, bool is_permit = false) {
    return after([&](auto& context) { it.remove(context, name, is_permit); });
  }

  std::string send() {
    return after([&](auto& context) { it.send(context); });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_orphans, deleting, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(orphan_is_deleted_once) {
  BOOST_TEST(remove("a") == "a");
  BOOST_TEST(remove("a") == "");
  BOOST_TEST(remove("b", true) == "permit b");
  BOOST_TEST(!it.removed("a", answer::ok));
  BOOST_TEST(!it.empty());
  BOOST_TEST(!it.removed("b", answer::no_node));
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(deletion_that_is_refused_for_now_is_sent_again) {
  remove("a");
  BOOST_TEST(it.removed("a", answer::failed));
  BOOST_TEST(!it.empty());
  BOOST_TEST(send() == "a");
  BOOST_TEST(send() == "");
}

BOOST_AUTO_TEST_CASE(orphan_that_may_not_be_deleted_is_forgotten) {
  remove("a");
  BOOST_TEST(!it.removed("a", answer::no_permission));
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(orphan_is_deleted_again_over_a_new_connection) {
  remove("a");
  it.disconnected();
  BOOST_TEST(send() == "a");
}

BOOST_AUTO_TEST_CASE(orphans_end_with_their_session) {
  remove("a");
  it.disconnected();
  it.expired();
  BOOST_TEST(it.empty());
  BOOST_TEST(!it.removed("a", answer::failed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
