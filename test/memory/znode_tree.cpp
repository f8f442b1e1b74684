#include "memory/tree.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test::memory;

BOOST_AUTO_TEST_SUITE(memory_znode_tree, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(new_tree_has_the_nodes_of_the_servers) {
  tree t;
  BOOST_TEST(t.nodes.paths() == (std::vector<std::string>{"/", "/zookeeper", "/zookeeper/config",
                                                          "/zookeeper/quota"}),
             boost::test_tools::per_element());
  BOOST_TEST(t.stat("/").cversion == -1);
  BOOST_TEST(t.stat("/zookeeper").cversion == -2);
}

BOOST_AUTO_TEST_CASE(creation_sets_stat_and_parent) {
  tree t;
  outcome created = t.create("/a");
  BOOST_TEST(text_of(created.events) == "created /a, children /");
  const node_stat a = t.stat("/a");
  BOOST_TEST(a.czxid == t.zxid);
  BOOST_TEST(a.mzxid == t.zxid);
  BOOST_TEST(a.pzxid == t.zxid);
  BOOST_TEST(a.ctime == t.zxid * 1000);
  BOOST_TEST(a.version == 0);
  BOOST_TEST(t.stat("/").pzxid == t.zxid);
  BOOST_TEST(t.stat("/").num_children == 2);
  BOOST_TEST(t.stat("/").cversion == 0);
}

BOOST_AUTO_TEST_CASE(deletion_counts_as_change_of_children) {
  tree t;
  t.create("/a");
  t.create("/a/b");
  const std::int64_t created = t.zxid;
  BOOST_TEST(text_of(t.remove("/a/b").events) == "deleted /a/b, children /a");
  BOOST_TEST(t.stat("/a").cversion == 2);
  BOOST_TEST(t.stat("/a").pzxid == created + 1);
  BOOST_TEST(t.stat("/a").num_children == 0);
}

BOOST_AUTO_TEST_CASE(sequence_numbers_count_creations_and_not_deletions) {
  tree t;
  t.create("/q");
  BOOST_TEST(path_of(t.create("/q/n-", 2)) == "/q/n-0000000000");
  t.remove("/q/n-0000000000");
  BOOST_TEST(path_of(t.create("/q/plain")) == "/q/plain");
  BOOST_TEST(path_of(t.create("/q/", 3)) == "/q/0000000002");
}

BOOST_AUTO_TEST_CASE(write_changes_data_version_and_times) {
  tree t;
  t.create("/a");
  const std::int64_t created = t.zxid;
  outcome written = t.apply(set_data_request{"/a", "xyz", 0});
  BOOST_TEST(text_of(written.events) == "changed /a");
  const node_stat a = std::get<stat_reply>(written.body).stat;
  BOOST_TEST(a.version == 1);
  BOOST_TEST(a.data_length == 3);
  BOOST_TEST(a.czxid == created);
  BOOST_TEST(a.mzxid == created + 1);
  BOOST_TEST(a.mtime == (created + 1) * 1000);
  BOOST_TEST(t.apply(set_data_request{"/a", "", 0}).error == code::bad_version);
}

BOOST_AUTO_TEST_CASE(null_data_stays_null) {
  tree t;
  create_request request;
  request.path = "/null";
  request.acl = {open_access()};
  t.apply(request);
  const auto reply =
      std::get<data_reply>(t.nodes.read(get_data_request{"/null", false}, {session, {}}).body);
  BOOST_TEST(!reply.data);
  BOOST_TEST(reply.stat.data_length == 0);
}

BOOST_AUTO_TEST_CASE(invalid_writes_have_the_codes_of_the_servers) {
  tree t;
  t.create("/a");
  t.create("/a/b");
  t.create("/e", 1);
  BOOST_TEST(t.create("/a").error == code::node_exists);
  BOOST_TEST(t.create("/none/x").error == code::no_node);
  BOOST_TEST(t.create("/e/x").error == code::no_children_for_ephemerals);
  BOOST_TEST(t.create("a").error == code::bad_arguments);
  BOOST_TEST(t.create("/a/").error == code::bad_arguments);
  BOOST_TEST(t.create("/x", 5).error == code::unimplemented);
  BOOST_TEST(t.create("/x", 7).error == code::bad_arguments);
  BOOST_TEST(t.create("/x", 0, {}).error == code::invalid_acl);
  BOOST_TEST(t.remove("/a").error == code::not_empty);
  BOOST_TEST(t.remove("/a/b", 3).error == code::bad_version);
  BOOST_TEST(t.remove("/none").error == code::no_node);
  BOOST_TEST(t.remove("/").error == code::bad_arguments);
  BOOST_TEST(t.remove("/zookeeper").error == code::bad_arguments);
  BOOST_TEST(t.apply(remove_request{"/a/b", -1}, 99).error == code::session_expired);
}

BOOST_AUTO_TEST_CASE(failed_write_changes_only_the_zxid) {
  tree t;
  t.create("/a");
  const node_stat before = t.stat("/");
  BOOST_TEST(t.create("/a").events.empty());
  BOOST_TEST(t.nodes.last_zxid() == t.zxid);
  BOOST_TEST(t.stat("/").pzxid == before.pzxid);
  BOOST_TEST(t.stat("/").cversion == before.cversion);
}

BOOST_AUTO_TEST_CASE(ephemeral_nodes_of_a_session_are_listed_by_the_beginning_of_their_paths) {
  tree t;
  t.create("/a");
  t.create("/a/b", 1);
  t.create("/c", 1);
  const auto list = [&](const std::string& prefix, std::int64_t of) {
    const auto listed = t.nodes.read(get_ephemerals_request{prefix}, {of, {}});
    return std::get<children_reply>(listed.body).names;
  };
  BOOST_TEST(list("/", session) == (std::vector<std::string>{"/a/b", "/c"}),
             boost::test_tools::per_element());
  BOOST_TEST(list("/a", session) == std::vector<std::string>{"/a/b"},
             boost::test_tools::per_element());
  BOOST_TEST(list("/", session + 1).empty());
}

BOOST_AUTO_TEST_CASE(closed_session_loses_its_ephemeral_nodes) {
  tree t;
  t.apply(create_session_request{5000}, 8);
  t.create("/a");
  t.create("/a/e", 1);
  t.create("/e", 1);
  BOOST_TEST(t.stat("/e").ephemeral_owner == session);
  outcome closed = t.apply(close_session_request{});
  BOOST_TEST(text_of(closed.events) == "deleted /a/e, children /a, deleted /e, children /");
  BOOST_TEST(t.nodes.ephemerals(session).empty());
  BOOST_TEST(t.nodes.sessions().size() == 1);
  BOOST_TEST(t.create("/b").error == code::session_expired);
}

BOOST_AUTO_TEST_CASE(container_is_reaped_after_its_last_child) {
  tree t;
  t.create("/c", 4);
  BOOST_TEST(t.stat("/c").ephemeral_owner == 0);
  BOOST_TEST(t.nodes.empty_containers().empty());
  t.create("/c/child");
  BOOST_TEST(t.nodes.empty_containers().empty());
  BOOST_TEST(t.apply(reap_request{"/c"}, 0).error == code::not_empty);
  t.remove("/c/child");
  BOOST_TEST(t.nodes.empty_containers() == std::vector<std::string>{"/c"},
             boost::test_tools::per_element());
  BOOST_TEST(text_of(t.apply(reap_request{"/c"}, 0).events) == "deleted /c, children /");
  BOOST_TEST(t.nodes.empty_containers().empty());
}

BOOST_AUTO_TEST_SUITE_END()
