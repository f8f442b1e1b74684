#include "support/stat_of.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <iterator>

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::boot_clock;

namespace {

struct connected_user {
  connected_user() : self(io, shared_server().address()) {
    self.start();
    self.wait_connected();
  }

  asio::io_context io{1};
  user self;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(requests, connected_user)

BOOST_AUTO_TEST_CASE(directory_is_persistent_or_a_container) {
  const auto path = fresh_path();
  shared_server().reset_counts();
  self.session->send(zookeeper::create_directory{.path = path}, self, {1, 7});
  self.session->send(zookeeper::create_directory{.path = path + "/container", .container = true},
                     self, {2, 8});
  self.session->send(zookeeper::create_directory{.path = path}, self, {3, 9});
  self.session->send(zookeeper::create_directory{.path = path + "/none/here"}, self, {4, 10});
  self.wait_answer(4);
  BOOST_REQUIRE_EQUAL(self.answers.size(), 4);
  BOOST_TEST(self.answers[0].tag.which == 7);
  BOOST_TEST((self.answers[0].values.result == status::ok));
  BOOST_TEST((self.answers[1].values.result == status::ok));
  BOOST_TEST((self.answers[2].values.result == status::node_exists));
  BOOST_TEST((self.answers[3].values.result == status::no_node));

  testing::raw_client witness(shared_server().address());
  BOOST_TEST(stat_of(witness, path).ephemeral_owner == 0);
  BOOST_TEST(shared_server().requests(testing::operation::create_container) == 1);
  BOOST_TEST(witness.get(path).data == "");
}

BOOST_AUTO_TEST_CASE(nodes_of_the_session_are_listed_by_their_paths) {
  const auto directory = self.make_directory();
  const auto first = self.enter(directory);
  const auto second = self.enter(directory);
  testing::raw_client other(shared_server().address());
  other.create(directory + "/other", {}, testing::create_mode::ephemeral);
  self.session->send(zookeeper::list_own{}, self, {1, 0});
  auto nodes = self.wait_answer(1).children;
  std::ranges::sort(nodes);
  BOOST_TEST(nodes == (std::vector{first, second}), boost::test_tools::per_element());
  self.session->send(zookeeper::remove{.path = second}, self, {2, 0});
  self.session->send(zookeeper::list_own{}, self, {3, 0});
  BOOST_TEST(self.wait_answer(3).children == std::vector{first}, boost::test_tools::per_element());
  self.session->send(zookeeper::list{.path = "/"}, self, {4, 0});
  BOOST_TEST(self.wait_answer(4).children.size() >= 2u);
}

BOOST_AUTO_TEST_CASE(entry_is_ephemeral_and_numbered) {
  const auto directory = self.make_directory();
  self.session->send(zookeeper::create_entry{.path = directory + "/entry-", .data = "some data"},
                     self, {1, 0});
  self.session->send(zookeeper::create_entry{.path = directory + "/entry-"}, self, {2, 0});
  self.wait_answer(2);
  BOOST_TEST(self.answers[0].path == directory + "/entry-0000000000");
  BOOST_TEST(self.answers[1].path == directory + "/entry-0000000001");
  BOOST_TEST(self.answers[1].values.czxid > self.answers[0].values.czxid);

  testing::raw_client witness(shared_server().address());
  const auto node = witness.get(self.answers[0].path);
  BOOST_TEST(node.data == "some data");
  BOOST_TEST(node.stat.czxid == self.answers[0].values.czxid);
  BOOST_TEST(node.stat.ephemeral_owner == self.session->id());
}

BOOST_AUTO_TEST_CASE(entry_is_refused_where_the_parent_cannot_have_children) {
  const auto directory = self.make_directory();
  const auto entry = self.enter(directory);
  self.session->send(zookeeper::create_entry{.path = entry + "/entry-"}, self, {1, 0});
  self.session->send(zookeeper::create_entry{.path = fresh_path() + "/entry-"}, self, {2, 0});
  BOOST_TEST((self.wait_answer(1).values.result == status::parent_is_ephemeral));
  BOOST_TEST((self.wait_answer(2).values.result == status::no_node));
}

BOOST_AUTO_TEST_CASE(removed_node_is_gone) {
  const auto directory = self.make_directory();
  const auto entry = self.enter(directory);
  self.session->send(zookeeper::remove{.path = entry}, self, {1, 0});
  self.session->send(zookeeper::remove{.path = entry}, self, {2, 0});
  BOOST_TEST((self.wait_answer(1).values.result == status::ok));
  BOOST_TEST((self.wait_answer(2).values.result == status::no_node));
}

BOOST_AUTO_TEST_CASE(other_refusals_are_reported_by_name) {
  const auto directory = self.make_directory();
  self.enter(directory);
  self.session->send(zookeeper::remove{.path = directory}, self, {1, 0});
  BOOST_TEST((self.wait_answer(1).values.result == status::not_empty));
  self.session->send(zookeeper::remove{.path = "/zookeeper"}, self, {2, 0});
  BOOST_TEST((self.wait_answer(2).values.result == status::failed));
  BOOST_TEST(self.wait_answer(2).detail == "bad arguments (ZooKeeper's error -8)");
}

BOOST_AUTO_TEST_CASE(missing_node_can_be_watched) {
  const auto directory = self.make_directory();
  self.session->send(zookeeper::exists{.path = directory}, self, {1, 0});
  BOOST_TEST((self.wait_answer(1).values.result == status::ok));
  self.session->send(zookeeper::exists{.path = directory + "/a/b", .watch = true}, self, {2, 0});
  BOOST_TEST((self.wait_answer(2).values.result == status::no_node));
  self.session->send(zookeeper::create_directory{.path = directory + "/a"}, self, {3, 0});
  self.session->send(zookeeper::create_directory{.path = directory + "/a/b"}, self, {4, 0});
  self.wait("an event", [&] { return !self.watches.empty(); });
  BOOST_TEST(self.watches[0].first == directory + "/a/b");
  BOOST_TEST((self.watches[0].second == watch_event::node));
}

BOOST_AUTO_TEST_CASE(list_returns_children_and_the_count_of_all_ever_made) {
  const auto directory = self.make_directory();
  self.session->send(zookeeper::list{.path = directory}, self, {1, 0});
  BOOST_TEST(self.wait_answer(1).children.empty());
  BOOST_TEST(self.wait_answer(1).values.children_ever == 0);

  const auto first = self.enter(directory);
  self.enter(directory);
  self.enter(directory);
  self.session->send(zookeeper::remove{.path = first}, self, {2, 0});
  self.session->send(zookeeper::list{.path = directory}, self, {3, 0});
  self.session->send(zookeeper::list{.path = directory + "/none"}, self, {4, 0});
  auto children = self.wait_answer(3).children;
  std::sort(children.begin(), children.end());
  BOOST_TEST(children == (std::vector<std::string>{"entry-0000000001", "entry-0000000002"}),
             boost::test_tools::per_element());
  BOOST_TEST(self.wait_answer(3).values.children_ever == 3);
  BOOST_TEST((self.wait_answer(4).values.result == status::no_node));
}

BOOST_AUTO_TEST_CASE(long_lists_in_a_row_are_complete) {
  const auto directory = self.make_directory();
  constexpr std::size_t count = 3000;
  for (std::size_t i = 0; i < count; ++i)
    self.session->send(zookeeper::create_entry{.path = directory + "/entry-"}, self, {1, i});
  for (int i = 0; i < 5; ++i)
    self.session->send(zookeeper::list{.path = directory}, self, {2, 0});
  self.session->send(zookeeper::get{.path = directory}, self, {3, 0});
  self.wait_answer(3);
  BOOST_REQUIRE_EQUAL(self.answers.size(), count + 6);
  for (std::size_t i = 0; i < count; ++i)
    BOOST_REQUIRE_EQUAL(self.answers[i].tag.which, i);
  for (std::size_t i = count; i < count + 5; ++i) {
    auto children = self.answers[i].children;
    std::sort(children.begin(), children.end());
    BOOST_REQUIRE_EQUAL(children.size(), count);
    BOOST_TEST(children.front() == "entry-0000000000");
    BOOST_TEST(children.back() == "entry-0000002999");
  }
}

BOOST_AUTO_TEST_CASE(get_returns_the_owner_and_its_watch_fires_once) {
  const auto directory = self.make_directory();
  const auto entry = self.enter(directory);
  const auto other = self.enter(directory);
  self.session->send(zookeeper::get{.path = entry, .watch = true}, self, {1, 0});
  self.session->send(zookeeper::get{.path = other, .watch = true}, self, {2, 0});
  self.session->send(zookeeper::get{.path = directory}, self, {3, 0});
  self.session->send(zookeeper::get{.path = directory + "/none", .watch = true}, self, {4, 0});
  BOOST_TEST((self.wait_answer(4).values.result == status::no_node));
  BOOST_TEST(self.wait_answer(1).values.ephemeral_owner == self.session->id());
  BOOST_TEST(self.wait_answer(1).values.czxid > 0);
  BOOST_TEST(self.wait_answer(3).values.ephemeral_owner == 0);

  testing::raw_client foreign(shared_server().address());
  foreign.set(entry, "changed");
  foreign.set(entry, "again");
  foreign.remove(other);
  self.wait("two events", [&] { return self.watches.size() == 2; });
  BOOST_TEST(self.watches[0].first == entry);
  BOOST_TEST((self.watches[0].second == watch_event::node));
  BOOST_TEST(self.watches[1].first == other);
  BOOST_TEST((self.watches[1].second == watch_event::deleted));
}

BOOST_AUTO_TEST_CASE(sync_precedes_later_requests) {
  const auto directory = self.make_directory();
  shared_server().reset_counts();
  self.session->sync(directory);
  self.session->sync(directory + "/none");
  self.session->send(zookeeper::list{.path = directory}, self, {1, 0});
  self.wait_answer(1);
  BOOST_TEST(shared_server().requests(testing::operation::sync) == 2);
  BOOST_TEST(self.answers.size() == 1);
}

BOOST_AUTO_TEST_CASE(check_reports_the_first_missing_node) {
  const auto directory = self.make_directory();
  const auto entry = self.enter(directory);
  const std::vector<std::string> good{directory, entry, directory};
  const std::vector<std::string> bad{directory, entry, directory + "/a", entry, directory + "/b"};
  self.session->send(zookeeper::check{.paths = good}, self, {1, 0});
  self.session->send(zookeeper::check{.paths = bad}, self, {2, 0});
  self.session->send(zookeeper::check{.paths = good}, self, {3, 0});
  BOOST_TEST((self.wait_answer(1).values.result == status::ok));
  BOOST_TEST((self.wait_answer(2).values.result == status::no_node));
  BOOST_TEST(self.wait_answer(2).values.first_failed == 2);
  BOOST_TEST((self.wait_answer(3).values.result == status::ok));
}

BOOST_AUTO_TEST_CASE(access_control_lists_are_obeyed) {
  testing::raw_client foreign(shared_server().address());
  foreign.add_auth("digest", "someone:else");
  const auto directory = fresh_path();
  foreign.create(directory, "", testing::create_mode::persistent, {testing::creator_access()});
  self.session->send(zookeeper::create_entry{.path = directory + "/entry-"}, self, {1, 0});
  self.session->send(zookeeper::list{.path = directory}, self, {2, 0});
  self.session->send(zookeeper::get{.path = directory}, self, {3, 0});
  self.wait_answer(3);
  for (const auto& each : self.answers)
    BOOST_TEST((each.values.result == status::no_permission));
}

BOOST_AUTO_TEST_CASE(new_session_is_proven_when_it_is_made) {
  const auto now = boot_clock::now();
  BOOST_TEST((self.session->valid_until() > now));
  BOOST_TEST((self.session->valid_until() <= now + self.session->timeout()));
}

// A follower may deny a request by itself, as its access control lists forbid.
BOOST_AUTO_TEST_CASE(denied_write_proves_nothing) {
  testing::raw_client foreign(shared_server().address());
  foreign.add_auth("digest", "someone:else");
  const auto directory = fresh_path();
  foreign.create(directory, "", testing::create_mode::persistent, {testing::creator_access()});
  asio::io_context loop{1};
  user quick(loop, shared_server().address());
  quick.options.server_tick = 1ms;
  quick.start();
  quick.wait_connected();
  const auto proven = quick.session->valid_until();
  for (int i = 1; i <= 20; ++i) {
    quick.session->send(zookeeper::create_entry{.path = directory + "/entry-"}, quick, {i, 0});
    BOOST_TEST((quick.wait_answer(i).values.result == status::no_permission));
  }
  BOOST_TEST((quick.session->valid_until() == proven));
  // Each write may come within a tick of its predecessor.
  for (int i = 21; quick.session->valid_until() == proven; ++i) {
    quick.session->send(zookeeper::confirm{}, quick, {i, 0});
    quick.wait_answer(i);
  }
}

BOOST_AUTO_TEST_CASE(empty_transaction_is_committed) {
  const auto before = shared_server().four_letter_word("srvr");
  self.session->send(zookeeper::confirm{}, self, {1, 0});
  const auto& reply = self.wait_answer(1);
  BOOST_TEST((reply.values.result == status::ok));
  BOOST_TEST(reply.children.empty());
  const auto zxid = [](const std::string& text) { return text.substr(text.find("Zxid: "), 24); };
  BOOST_TEST(zxid(shared_server().four_letter_word("srvr")) != zxid(before));
}

BOOST_AUTO_TEST_CASE(request_made_inside_an_answer_is_carried_out) {
  const auto directory = self.make_directory();
  int rounds = 0;
  self.reaction = [&](std::string_view) {
    if (self.answers.back().values.path.empty()) return;
    self.session->send(zookeeper::remove{.path = self.answers.back().path}, self, {2, 0});
    if (++rounds < 500)
      self.session->send(zookeeper::create_entry{.path = directory + "/e-"}, self, {1, 0});
  };
  self.session->send(zookeeper::create_entry{.path = directory + "/e-"}, self, {1, 0});
  self.wait("all rounds", [&] { return self.answers.size() == 1000; });
  self.reaction = nullptr;
  self.session->send(zookeeper::list{.path = directory}, self, {3, 0});
  BOOST_TEST(self.wait_answer(3).children.empty());
  BOOST_TEST(self.wait_answer(3).values.children_ever == 500);
}

BOOST_AUTO_TEST_CASE(data_is_read_and_replaced) {
  const auto directory = self.make_directory();
  self.session->send(zookeeper::set{.path = directory, .data = "new"}, self, {1, 0});
  self.session->send(zookeeper::set{.path = directory, .data = "newer", .version = 7}, self,
                     {2, 0});
  self.session->send(zookeeper::get{.path = directory}, self, {3, 0});
  BOOST_TEST(self.wait_answer(1).values.version == 1);
  BOOST_TEST((self.wait_answer(2).values.result == status::bad_version));
  BOOST_TEST(self.wait_answer(3).data == "new");
  BOOST_TEST(self.wait_answer(3).path == "");
  BOOST_TEST(self.wait_answer(3).values.version == 1);
  BOOST_TEST(self.wait_answer(3).values.created > 0);
}

BOOST_AUTO_TEST_CASE(transaction_is_carried_out_completely_or_not_at_all) {
  using zklock::zookeeper::write;
  const auto directory = self.make_directory();
  const auto entry = self.enter(directory);
  const std::vector<write> good{
      {.what = write::kind::remove, .path = entry},
      {.what = write::kind::create,
       .path = directory + "/permit",
       .data = "mine",
       .ephemeral = true},
      {.what = write::kind::create, .path = directory + "/numbered-", .sequential = true},
      {.what = write::kind::set, .path = directory + "/permit"}};
  self.session->send(zookeeper::transact{.writes = good}, self, {1, 0});
  const std::vector<write> bad{{.what = write::kind::create, .path = directory + "/other"},
                               {.what = write::kind::remove, .path = entry},
                               {.what = write::kind::check, .path = directory}};
  self.session->send(zookeeper::transact{.writes = bad}, self, {2, 0});
  self.session->send(zookeeper::get{.path = directory + "/permit"}, self, {3, 0});
  self.session->send(zookeeper::get{.path = directory + "/other"}, self, {4, 0});
  const auto& done = self.wait_answer(1);
  BOOST_TEST((done.values.result == status::ok));
  BOOST_TEST(done.children == (std::vector<std::string>{directory + "/permit",
                                                        directory + "/numbered-0000000002"}),
             boost::test_tools::per_element());
  BOOST_TEST((self.wait_answer(2).values.result == status::no_node));
  BOOST_TEST(self.wait_answer(2).values.first_failed == 1u);
  BOOST_TEST(self.wait_answer(3).values.czxid == done.values.transaction);
  BOOST_TEST((self.wait_answer(4).values.result == status::no_node));
}

BOOST_AUTO_TEST_CASE(watch_on_a_list_fires) {
  const auto directory = self.make_directory();
  self.session->send(zookeeper::list{.path = directory, .watch = true}, self, {1, 0});
  self.wait_answer(1);
  self.enter(directory);
  self.wait("an event", [&] { return self.watches.size() == 1; });
  BOOST_TEST(self.watches[0].first == directory);
  BOOST_TEST((self.watches[0].second == watch_event::children));
}

BOOST_AUTO_TEST_CASE(removed_watch_does_not_fire) {
  const auto directory = self.make_directory();
  const auto before = shared_server().counter("zk_watch_count");
  const auto change = [&](int tag) {
    self.session->send(zookeeper::set{.path = directory, .data = "new"}, self, {tag, 0});
    self.session->send(zookeeper::remove{.path = self.enter(directory)}, self, {tag + 1, 0});
    self.wait_answer(tag + 1);
  };
  for (const auto kind : {watch_kind::node, watch_kind::children}) {
    self.session->send(zookeeper::get{.path = directory, .watch = true}, self, {1, 0});
    self.session->send(zookeeper::list{.path = directory, .watch = true}, self, {2, 0});
    self.session->remove_watch(directory, kind);
    self.session->send(zookeeper::list{.path = "/"}, self, {3, 0});
    self.wait_answer(3);
    BOOST_TEST(shared_server().counter("zk_watch_count") == before + 1);
    change(4);
    BOOST_TEST_REQUIRE(self.watches.size() == 1u);
    const bool other = kind == watch_kind::node;
    BOOST_TEST((self.watches[0].second == (other ? watch_event::children : watch_event::node)));
    self.watches.clear();
    self.answers.clear();
  }
  // A watch that does not exist can be removed, and a later watch can be set.
  self.session->remove_watch(directory, watch_kind::node);
  self.session->send(zookeeper::get{.path = directory, .watch = true}, self, {1, 0});
  self.wait_answer(1);
  change(2);
  BOOST_TEST(self.watches.size() == 1u);
  BOOST_TEST(self.disconnected == 0);
  BOOST_TEST(shared_server().counter("zk_watch_count") == before);
}

// The request that sets the watch again is sent right after the removal.
BOOST_AUTO_TEST_CASE(watch_set_right_after_its_removal_stays) {
  const auto directory = self.make_directory();
  self.session->send(zookeeper::get{.path = directory, .watch = true}, self, {1, 0});
  self.wait_answer(1);
  self.session->remove_watch(directory, watch_kind::node);
  self.session->send(zookeeper::get{.path = directory, .watch = true}, self, {2, 0});
  self.wait_answer(2);
  self.session->send(zookeeper::set{.path = directory, .data = "new"}, self, {3, 0});
  self.wait("an event", [&] { return self.watches.size() == 1; });
}

BOOST_AUTO_TEST_SUITE_END()
