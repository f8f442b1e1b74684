// zklock top: its screens and keys.
#include "cli/top_terminal.hpp"

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(command_top, top_terminal, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(locks_are_shown_and_change) {
  hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/tickets").acquire(asio::use_future);
  wait_for_entries(root + "/tickets", 2);
  const hold permits = get(semaphore(two, root + "/printers", 3).acquire(2, 30s, asio::use_future));
  start();
  wait_for_row("tickets", {"mutex", "1", "1", "till 1"});
  BOOST_TEST(row_of("tickets").find(">") != std::string::npos);
  wait_for_row("printers", {"semaphore", "2", "0", "till 2 +1"});
  get(held.release(asio::use_future));
  wait_for_row("tickets", {"mutex", "1", "0", "till 2"});
  // Its hold began under observation.
  BOOST_TEST(row_of("tickets").find(">") == std::string::npos);
  const hold next = get(waiting);
}

BOOST_AUTO_TEST_CASE(free_lock_keeps_its_row) {
  // Not as a container, which the server deletes when it is empty.
  witness.create_all(root + "/tickets");
  hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  start();
  wait_for_row("tickets", {"mutex", "1", "0", "till 1"});
  get(held.release(asio::use_future));
  wait_for_row("tickets", {"mutex", "0", "0"});
}

BOOST_AUTO_TEST_CASE(sort_key_changes_the_order) {
  const hold a = get(mutex(one, root + "/a").acquire(30s, asio::use_future));
  const hold b = get(mutex(one, root + "/b").acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/b").acquire(asio::use_future);
  wait_for_entries(root + "/b", 2);
  start();
  wait_until([&] { return position_of("b") < position_of("a"); });
  for (const std::string key : {"longest", "handovers", "path"}) {
    screen.press("s");
    screen.wait_for_text("sort: " + key);
  }
  wait_until([&] { return position_of("a") < position_of("b"); });
}

BOOST_AUTO_TEST_CASE(enter_key_shows_the_line_of_the_selected_lock) {
  const hold a = get(mutex(one, root + "/a").acquire(30s, asio::use_future));
  const hold b = get(mutex(one, root + "/b").acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/b").acquire(asio::use_future);
  wait_for_entries(root + "/b", 2);
  start("--sort path");
  wait_for_row("b", {"mutex"});
  screen.press("Down");
  screen.press("Enter");
  screen.wait_for_text("STATE  IDENTITY");
  BOOST_TEST(screen.shows(root + "/b  mutex"));
  BOOST_TEST(screen.shows("holds  till 1"));
  BOOST_TEST(screen.shows("waits  till 2"));
  BOOST_TEST(!screen.shows(root + "/a "));
  screen.press("Enter");
  wait_for_row("a", {"mutex"});
}

BOOST_AUTO_TEST_CASE(ask_key_reaches_the_holder) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  auto asked = held.wait_release_requested(asio::use_future);
  wait_for_watch(held.node());
  start("--identity operator");
  wait_for_row("tickets", {"till 1"});
  screen.press("a");
  BOOST_TEST(get(asked) == "operator");
  screen.wait_for_text("asked " + held.node() + " (till 1, session 0x");
  wait_for_row("tickets", {"asked"});
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(break_key_deletes_the_holder_after_a_question) {
  mutex m(one, root + "/tickets");
  const hold held = get(m.acquire(30s, asio::use_future));
  start();
  wait_for_row("tickets", {"till 1"});
  for (const std::string answer : {"n", "Enter", "Escape"}) {
    screen.press("b");
    screen.wait_for_text("[y/N]");
    BOOST_TEST(screen.shows("holds  " + held.node() + " (till 1, session 0x"));
    screen.press(answer);
    screen.wait_for_text("nothing was deleted");
    BOOST_TEST(witness.exists(held.node()).has_value());
  }
  screen.press("b");
  screen.wait_for_text("[y/N]");
  screen.press("y");
  screen.wait_for_text("deleted " + held.node());
  BOOST_TEST(!witness.exists(held.node()));
}

BOOST_AUTO_TEST_CASE(free_lock_has_no_holder_to_ask_or_break) {
  // Not as a container, which the server deletes when it is empty.
  witness.create_all(root + "/tickets");
  hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  start();
  wait_for_row("tickets", {"1", "0"});
  get(held.release(asio::use_future));
  wait_for_row("tickets", {"0", "0"});
  for (const std::string key : {"a", "b"}) {
    screen.press(key);
    screen.wait_for_text("nothing holds " + root + "/tickets");
    screen.press("x");
    wait_until([&] { return !screen.shows("nothing holds"); });
  }
}

BOOST_AUTO_TEST_CASE(holder_that_stays_is_marked_while_others_wait) {
  const hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/tickets").acquire(asio::use_future);
  auto own = mutex(one, root + "/tickets").acquire(asio::use_future);
  wait_for_entries(root + "/tickets", 3);
  start("--stuck-after 0.2");
  wait_for_row("tickets", {"1", "2", "till 1", "stuck,self"});
}

BOOST_AUTO_TEST_CASE(control_characters_of_an_identity_do_not_reach_the_terminal) {
  client odd(context.io, named("\x1b[2J票\n"));
  const hold held = get(mutex(odd, root + "/tickets").acquire(30s, asio::use_future));
  start();
  wait_for_row("tickets", {"mutex", "1", "0", R"(\x1b[2J票\x0a)"});
}

BOOST_AUTO_TEST_CASE(paused_view_stays_until_it_goes_on) {
  // Not as a container, which the server deletes when it is empty.
  witness.create_all(root + "/tickets");
  hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  start();
  wait_for_row("tickets", {"till 1"});
  screen.press("Space");
  screen.wait_for_text("PAUSED");
  get(held.release(asio::use_future));
  screen.press("+");
  screen.wait_for_text("every 0.2 s");
  BOOST_TEST(row_of("tickets").find("till 1") != std::string::npos);
  screen.press("Space");
  wait_for_row("tickets", {"0", "0"});
}

BOOST_AUTO_TEST_CASE(table_is_printed_once_without_a_terminal) {
  const hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/tickets").acquire(asio::use_future);
  wait_for_entries(root + "/tickets", 2);
  for (const bool once : {false, true}) {
    std::vector<std::string> arguments{"top", "--interval", "0.1", root};
    if (once) arguments.emplace_back("--once");
    const auto done = run(arguments);
    BOOST_TEST(done.status == 0);
    BOOST_TEST(done.out.starts_with("PATH "));
    BOOST_TEST(done.says("\n" + root + "/tickets  mutex        1        1          0.0 "));
    BOOST_TEST(done.says("  till 1"));
    BOOST_TEST(std::ranges::count(done.out, '\n') == 2);
    BOOST_TEST(!done.says("\x1b"));
  }
  const auto shown =
      run_in_terminal(with_server({"top", "--once", "--interval", "0.1", root}), "", false);
  BOOST_TEST(shown.status == 0);
  BOOST_TEST(shown.says(root + "/tickets  mutex"));
  BOOST_TEST(!shown.says("\x1b"));
}

BOOST_AUTO_TEST_CASE(wrong_options_are_refused) {
  const auto sorted = run({"top", "--sort", "size"});
  BOOST_TEST(sorted.status == 64);
  BOOST_TEST(sorted.errors.starts_with("zklock: invalid value \"size\" of --sort"));
  const auto fast = run({"top", "--interval", "0"});
  BOOST_TEST(fast.status == 64);
  BOOST_TEST(fast.errors.starts_with("zklock: invalid time 0 s of --interval"));
  BOOST_TEST(run({"top", "locks"}).status == 64);
}

BOOST_AUTO_TEST_SUITE_END()
