#include "testing/memory/watch_table.hpp"

#include "memory/tree.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test::memory;

namespace {

struct watched_tree : tree {
  void watch(connection_id connection, const read_request& request) {
    watches.add(connection, request, nodes.read(request, {session, {}}));
  }

  /// Returns the events with their connections, for example `1 deleted /a`.
  std::string trigger(const outcome& write) {
    std::string text;
    for (const auto& each : watches.trigger(write.events)) {
      if (!text.empty()) text += ", ";
      text += std::to_string(each.connection) + ' ' + text_of({each.event});
    }
    return text;
  }

  watch_table watches;
};

} // namespace

BOOST_AUTO_TEST_SUITE(memory_watch_table, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(watch_has_one_event) {
  watched_tree t;
  t.create("/a");
  t.watch(1, get_data_request{"/a", true});
  t.watch(2, exists_request{"/a", true});
  t.watch(3, get_data_request{"/a", false});
  BOOST_TEST(t.trigger(t.apply(set_data_request{"/a", "", -1})) == "1 changed /a, 2 changed /a");
  BOOST_TEST(t.trigger(t.apply(set_data_request{"/a", "", -1})).empty());
}

BOOST_AUTO_TEST_CASE(missing_node_is_watched_only_for_existence) {
  watched_tree t;
  t.watch(1, exists_request{"/a", true});
  t.watch(2, get_data_request{"/a", true});
  t.watch(3, get_children_request{"/a", true, false});
  BOOST_TEST(t.trigger(t.create("/a")) == "1 created /a");
}

BOOST_AUTO_TEST_CASE(deletion_is_sent_once_to_a_connection) {
  watched_tree t;
  t.create("/a");
  t.watch(1, get_data_request{"/a", true});
  t.watch(1, get_children_request{"/a", true, false});
  t.watch(2, get_children_request{"/", true, true});
  BOOST_TEST(t.trigger(t.remove("/a")) == "1 deleted /a, 2 children /");
  BOOST_TEST(t.watches.size() == 0U);
}

BOOST_AUTO_TEST_CASE(watches_set_again_tell_what_was_missed) {
  watched_tree t;
  for (auto path : {"/same", "/changed", "/deleted", "/parent"})
    t.create(path);
  const std::int64_t seen = t.zxid;
  t.apply(set_data_request{"/changed", "", -1});
  t.remove("/deleted");
  t.create("/parent/child");
  t.create("/created");
  const auto missed = t.watches.set_again(1,
                                          {seen,
                                           {"/same", "/changed", "/deleted"},
                                           {"/created", "/later"},
                                           {"/same", "/parent", "/deleted"}},
                                          t.nodes);
  BOOST_TEST(text_of(missed) ==
             "changed /changed, deleted /deleted, created /created, children /parent, "
             "deleted /deleted");
  BOOST_TEST(t.watches.size() == 3U);
  BOOST_TEST(t.trigger(t.create("/later")) == "1 created /later");
}

BOOST_AUTO_TEST_CASE(watch_is_removed_on_request_and_with_its_connection) {
  watched_tree t;
  t.create("/a");
  t.watch(1, get_data_request{"/a", true});
  t.watch(2, get_children_request{"/a", true, false});
  BOOST_TEST(t.watches.find(2, {"/a", watcher_type::data, true}) == code::no_watcher);
  BOOST_TEST(t.watches.find(1, {"/a", watcher_type::any, false}) == code::ok);
  BOOST_TEST(t.watches.find(1, {"/a", watcher_type::any, true}) == code::ok);
  BOOST_TEST(t.watches.find(1, {"/a", watcher_type::any, true}) == code::no_watcher);
  t.watches.remove(2);
  BOOST_TEST(t.watches.size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
