// zklock ask and zklock break, as a user runs them.
#include "cli/users.hpp"

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(command_break, users, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(ask_sends_a_release_request_to_the_holder) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  auto asked = held.wait_release_requested(asio::use_future);
  wait_for_watch(held.node());
  auto arguments = with_server({"ask", root + "/tickets"});
  arguments.insert(arguments.end(), {"--identity", "operator"});
  const auto done = run_zklock(arguments);
  BOOST_TEST(done.status == 0);
  BOOST_TEST(done.out.starts_with("asked " + held.node() + " (till 1, session 0x"));
  BOOST_TEST(get(asked) == "operator");
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(ask_sends_one_request_for_permits_that_are_held_together) {
  semaphore s(one, root + "/printers", 3);
  const hold held = get(s.acquire(2, 30s, asio::use_future));
  const auto version = witness.get(held.node()).stat.version;
  const auto done = run({"ask", root + "/printers"});
  BOOST_TEST(done.status == 0);
  BOOST_TEST(std::count(done.out.begin(), done.out.end(), '\n') == 1);
  BOOST_TEST(witness.get(held.node()).stat.version == version + 1);
  BOOST_TEST(witness.get(held.node()).data.starts_with("__REVOKE__"));
}

BOOST_AUTO_TEST_CASE(ask_ends_a_cached_entry) {
  auto options = named("till 1");
  options.lock_cache = {.idle_limit = 5s};
  const client caching(context.io, options);
  mutex m(caching, root + "/tickets");
  while (caching.stats().total.handed_over == 0) {
    hold held = get(m.acquire(30s, asio::use_future));
    get(held.release(asio::use_future));
  }
  const auto cached = std::chrono::steady_clock::now();
  BOOST_TEST(run({"ask", root + "/tickets"}).status == 0);
  wait_until([&] { return witness.children(root + "/tickets").empty(); });
  // Without a request it would be cached for 3 s.
  BOOST_TEST((std::chrono::steady_clock::now() - cached < 2s));
  BOOST_TEST(caching.cached() == 0u);
}

BOOST_AUTO_TEST_CASE(free_lock_has_no_holder_to_ask_or_break) {
  for (const auto* verb : {"ask", "break"}) {
    auto arguments = std::vector<std::string>{verb, root + "/free"};
    if (arguments[0] == "break") arguments.push_back("--yes");
    const auto failed = run(arguments);
    BOOST_TEST(failed.status == 1);
    BOOST_TEST(failed.out == "");
    BOOST_TEST(failed.errors == "zklock: nothing holds " + root + "/free\n");
  }
}

BOOST_AUTO_TEST_CASE(break_deletes_the_holder_and_names_it_before_and_after) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/tickets").acquire(asio::use_future);
  wait_for_entries(root + "/tickets", 2);
  const auto done = run({"break", "--yes", root + "/tickets"});
  BOOST_TEST(done.status == 0);
  BOOST_TEST(done.out.starts_with("holds  " + held.node() + " (till 1, session 0x"));
  BOOST_TEST(done.says("\ndeleted  " + held.node() + " (till 1, session 0x"));
  BOOST_TEST(get(waiting).owns_lock());
}

BOOST_AUTO_TEST_CASE(break_of_a_node_leaves_the_others) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  const auto waiter =
      witness.create(root + "/tickets/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-", "",
                     testing::create_mode::ephemeral_sequential);
  const auto name = waiter.substr(waiter.rfind('/') + 1);
  const auto done = run({"break", "--yes", "--node", name, root + "/tickets"});
  BOOST_TEST(done.status == 0);
  BOOST_TEST(done.says("deleted  " + waiter));
  BOOST_TEST(!witness.exists(waiter));
  BOOST_TEST(witness.exists(held.node()).has_value());
  BOOST_TEST(run({"break", "--yes", "--node", name, root + "/tickets"}).status == 1);
}

BOOST_AUTO_TEST_CASE(break_deletes_readers_and_permits) {
  shared_mutex rw(one, root + "/config");
  const hold reading = get(rw.acquire_shared(30s, asio::use_future));
  semaphore s(one, root + "/printers", 3);
  const hold permits = get(s.acquire(2, 30s, asio::use_future));
  BOOST_TEST(run({"break", "--yes", root + "/config"}).status == 0);
  BOOST_TEST(run({"break", "--yes", root + "/printers"}).status == 0);
  BOOST_TEST(!witness.exists(reading.node()));
  BOOST_TEST(witness.children(root + "/printers/leases").empty());
}

BOOST_AUTO_TEST_CASE(break_needs_yes_without_a_terminal) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  const auto refused = run({"break", root + "/tickets"});
  BOOST_TEST(refused.status == 64);
  BOOST_TEST(refused.errors.starts_with("zklock: without a terminal, 'zklock break' needs --yes"));
  BOOST_TEST(witness.exists(held.node()).has_value());
}

BOOST_AUTO_TEST_CASE(break_asks_on_a_terminal) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  const auto arguments = with_server({"break", root + "/tickets"});
  for (const auto* answer : {"n\n", "\n"}) {
    const auto kept = run_in_terminal(arguments, answer);
    BOOST_TEST(kept.status == 1);
    BOOST_TEST(kept.says("[y/N]"));
    BOOST_TEST(kept.says("nothing was deleted"));
    BOOST_TEST(witness.exists(held.node()).has_value());
  }
  const auto deleted = run_in_terminal(arguments, "y\n");
  BOOST_TEST(deleted.status == 0);
  BOOST_TEST(deleted.says("deleted  " + held.node()));
  BOOST_TEST(!witness.exists(held.node()));
}

BOOST_AUTO_TEST_SUITE_END()
