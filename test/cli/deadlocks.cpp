// zklock deadlocks, as a user runs it, and the graph behind it.
#include "cli/deadlocks/wait_graph.hpp"
#include "cli/nested_identity.hpp"
#include "cli/users.hpp"

#include <boost/json/parse.hpp>

#include <sstream>

using namespace zklock;
using namespace zklock::test;

namespace json = boost::json;

namespace {

using cli::client_key;
using cli::wait_graph;

participant one_of(const std::string& identity, const std::string& node, bool holds) {
  participant made;
  made.identity = identity;
  made.node = node;
  made.is_holder = holds;
  made.session_id = 7;
  return made;
}

// "a b c": a holds, b and c wait.
found_lock lock_with(const std::string& path, const std::string& clients, std::size_t holders = 1,
                     lock_type type = lock_type::mutex) {
  found_lock made{.path = path, .type = type};
  std::istringstream in(clients);
  for (std::string name; in >> name;)
    made.participants.push_back(one_of(name,
                                       path + '/' + name + std::to_string(made.participants.size()),
                                       made.participants.size() < holders));
  return made;
}

std::string text_of(const std::vector<wait_graph::cycle>& cycles) {
  std::string text;
  for (const auto& cycle : cycles) {
    if (!text.empty()) text += "; ";
    for (const auto& each : cycle)
      text += each.waiter + "-" + each.path + "->";
    text += cycle.back().holder;
  }
  return text;
}

std::string cycles_of(const std::vector<found_lock>& locks) {
  return text_of(wait_graph(locks, client_key::identity).find_cycles());
}

} // namespace

BOOST_AUTO_TEST_SUITE(wait_graphs)

BOOST_AUTO_TEST_CASE(cycle_names_the_way_round) {
  BOOST_TEST(cycles_of({lock_with("/x", "a b"), lock_with("/y", "b c")}) == "");
  BOOST_TEST(cycles_of({lock_with("/x", "a b"), lock_with("/y", "b a")}) == "a-/y->b-/x->a");
  BOOST_TEST(cycles_of({lock_with("/x", "a b"), lock_with("/y", "b c"), lock_with("/z", "c a")}) ==
             "a-/z->c-/y->b-/x->a");
}

BOOST_AUTO_TEST_CASE(each_cycle_is_found_once) {
  BOOST_TEST(cycles_of({lock_with("/x", "a b c"), lock_with("/y", "b a"), lock_with("/z", "c a"),
                        lock_with("/p", "d e"), lock_with("/q", "e d")}) ==
             "a-/y->b-/x->a; c-/x->a-/z->c; d-/q->e-/p->d");
}

BOOST_AUTO_TEST_CASE(client_does_not_wait_for_itself) {
  BOOST_TEST(cycles_of({lock_with("/x", "a a a")}) == "");
  // The waiters ahead are no holders.
  BOOST_TEST(cycles_of({lock_with("/x", "a b a")}) == "");
}

BOOST_AUTO_TEST_CASE(client_behind_a_cycle_is_not_in_it) {
  BOOST_TEST(cycles_of({lock_with("/x", "a b c"), lock_with("/y", "b a")}) == "a-/y->b-/x->a");
}

BOOST_AUTO_TEST_CASE(permit_waiter_is_stuck_if_all_holders_are) {
  const auto permits = [](const std::string& clients) {
    return lock_with("/s", clients, 2, lock_type::semaphore);
  };
  BOOST_TEST(cycles_of({permits("a b c"), lock_with("/x", "c a")}) == "");
  BOOST_TEST(cycles_of({permits("a b c"), lock_with("/x", "c a b")}) ==
             "a-/x->c-/s->a; b-/x->c-/s->b");
}

BOOST_AUTO_TEST_CASE(readers_that_hold_are_all_waited_for) {
  const auto readers = lock_with("/r", "a b c", 2, lock_type::shared_mutex);
  BOOST_TEST(cycles_of({readers, lock_with("/x", "c b")}) == "b-/x->c-/r->b");
}

BOOST_AUTO_TEST_CASE(sessions_can_tell_clients_apart) {
  auto x = lock_with("/x", "ip ip");
  auto y = lock_with("/y", "ip ip");
  BOOST_TEST(cycles_of({x, y}) == "");
  x.participants[0].session_id = y.participants[1].session_id = 1;
  x.participants[1].session_id = y.participants[0].session_id = 2;
  BOOST_TEST(text_of(wait_graph({x, y}, client_key::session).find_cycles()) ==
             "session 0x1-/y->session 0x2-/x->session 0x1");
}

BOOST_AUTO_TEST_CASE(outer_run_waits_for_the_runs_inside) {
  auto x = lock_with("/x", "a b2");
  auto y = lock_with("/y", "b a2");
  x.participants[0].session_id = 0xa;
  y.participants[0].session_id = 0xb;
  x.participants[1].session_id = 0xb2;
  y.participants[1].session_id = 0xa2;
  BOOST_TEST(cycles_of({x, y}) == "");
  x.participants[1].identity = cli::nested_identity("b2", {0xb});
  BOOST_TEST(cycles_of({x, y}) == "");
  // Two runs deep, with a run between that is at no lock of the list.
  y.participants[1].identity = cli::nested_identity("a2", {0xa, 0xa1});
  BOOST_TEST(cycles_of({x, y}) == "a-/y->b-/x->a");
  BOOST_TEST(text_of(wait_graph({x, y}, client_key::session).find_cycles()) ==
             "session 0xa-/y->session 0xb-/x->session 0xa");
  wait_graph again({x, y}, client_key::identity);
  again.keep_common(wait_graph({x, y}, client_key::identity));
  BOOST_TEST(again.find_cycles().size() == 1u);
}

BOOST_AUTO_TEST_CASE(run_inside_that_goes_on_ends_the_wait) {
  // a runs a1 and a2: a1 waits for b, a2 holds the lock of b.
  auto x = lock_with("/x", "b a1");
  auto y = lock_with("/y", "a2 b");
  y.participants[0].session_id = 0xa2;
  x.participants[1].identity = cli::nested_identity("a1", {0xa});
  y.participants[0].identity = cli::nested_identity("a2", {0xa});
  BOOST_TEST(cycles_of({x, y, lock_with("/z", "a")}) == "");
}

BOOST_AUTO_TEST_CASE(run_inside_that_waits_for_the_outer_one_is_a_cycle) {
  auto x = lock_with("/x", "a a2");
  x.participants[0].session_id = 0xa;
  x.participants[1].identity = cli::nested_identity("a2", {0xa});
  BOOST_TEST(cycles_of({x}) == "a-/x->a");
}

BOOST_AUTO_TEST_CASE(identity_has_the_sessions_of_the_outer_runs) {
  const std::vector<std::int64_t> outer{1, -2};
  const auto text = cli::nested_identity("host:1 sh", outer);
  BOOST_TEST(text == "host:1 sh nested in 0x1 0xfffffffffffffffe");
  BOOST_TEST(cli::outer_sessions_of(text) == outer, boost::test_tools::per_element());
  BOOST_TEST(cli::nested_identity("host:1 sh", {}) == "host:1 sh");
  BOOST_TEST(cli::outer_sessions_of("host:1 sh").empty());
  BOOST_TEST(cli::outer_sessions_of("host:1 nested in a shell").empty());
  BOOST_TEST(cli::outer_sessions_of("host:1 nested in 0x").empty());
  BOOST_TEST(cli::outer_sessions_of("host:1 nested in 0x11111111111111111").empty());
}

BOOST_AUTO_TEST_CASE(identity_has_the_innermost_sessions_where_not_all_fit) {
  const std::vector<std::int64_t> outer(1000, -1);
  const auto text = cli::nested_identity(std::string(4000, 'x'), outer);
  BOOST_TEST(text.size() <= 4096u);
  BOOST_TEST(cli::outer_sessions_of(text).size() == 4u);
  BOOST_TEST(cli::nested_identity(std::string(4090, 'x'), outer) == std::string(4090, 'x'));
}

BOOST_AUTO_TEST_CASE(cycle_of_other_nodes_is_not_the_same) {
  const std::vector<found_lock> before{lock_with("/x", "a b"), lock_with("/y", "b a")};
  wait_graph same(before, client_key::identity);
  same.keep_common(wait_graph(before, client_key::identity));
  BOOST_TEST(same.find_cycles().size() == 1u);
  for (const auto changed : {std::size_t{0}, std::size_t{1}}) {
    auto after = before;
    after[0].participants[changed].node += "-again";
    wait_graph now(after, client_key::identity);
    now.keep_common(wait_graph(before, client_key::identity));
    BOOST_TEST(now.find_cycles().empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(command_deadlocks, users, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(clients_that_wait_for_each_other_are_named) {
  mutex a(one, root + "/a");
  mutex b(two, root + "/b");
  const hold first = get(a.acquire(30s, asio::use_future));
  hold second = get(b.acquire(30s, asio::use_future));
  auto waits = mutex(one, root + "/b").acquire(asio::use_future);
  wait_for_entries(root + "/b", 2);
  const std::vector<std::string> look{"deadlocks", "--again-after", "100ms", root};
  const auto none = run(look);
  BOOST_TEST(none.status == 0);
  BOOST_TEST(none.out == "");

  auto also = mutex(two, root + "/a").acquire(asio::use_future);
  wait_for_entries(root + "/a", 2);
  const auto found = run(look);
  BOOST_TEST(found.status == 1);
  BOOST_TEST(found.out == "deadlock of 2:\n  till 1 waits for " + root +
                              "/b, held by till 2\n  till 2 waits for " + root +
                              "/a, held by till 1\n");
  auto as_json = look;
  as_json.insert(as_json.begin() + 1, "--json");
  const auto all = json::parse(run(as_json).out);
  BOOST_TEST(all.at("deadlocks").at(0).at(0).at("waiter").as_string() == "till 1");
  BOOST_TEST(all.at("deadlocks").at(0).at(0).at("holder_node").as_string() == second.node());

  get(second.release(asio::use_future));
  const hold both = get(waits);
  BOOST_TEST(run(look).status == 0);
}

BOOST_AUTO_TEST_CASE(runs_inside_that_wait_for_each_other_are_found) {
  const auto start = [&](const std::string& outer, const std::string& inner) {
    auto arguments = run_arguments(
        {root + outer, "sh", "-c", "echo held; read line; exec \"$@\"", "sh", ZKLOCK_COMMAND});
    const auto rest = run_arguments({root + inner, "true"});
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return command(arguments);
  };
  auto first = start("/a", "/b");
  auto second = start("/b", "/a");
  for (auto* each : {&first, &second})
    each->read_line();
  // Both hold their outer lock: neither can get its inner lock from now on.
  for (auto* each : {&first, &second})
    each->process().write_line("");
  wait_for_entries(root + "/a", 2);
  wait_for_entries(root + "/b", 2);
  for (const auto* key : {"identity", "session"}) {
    const auto found = run({"deadlocks", "--again-after", "100ms", "--by", key, root});
    BOOST_TEST(found.status == 1);
    BOOST_TEST(found.says("deadlock of 2:\n"));
    BOOST_TEST(found.says(" waits for " + root + "/a, held by "));
    BOOST_TEST(found.says(" waits for " + root + "/b, held by "));
  }
  first.process().signal(SIGTERM);
  BOOST_TEST(first.wait() == 128 + SIGTERM);
  BOOST_TEST(second.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
