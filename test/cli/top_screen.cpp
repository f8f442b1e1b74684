// zklock top and its terminal: size, signals, colours, lost connections.
#include <zklock/testing/relay.hpp>

#include "cli/top_terminal.hpp"

#include <fstream>
#include <iterator>

using namespace zklock;
using namespace zklock::test;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(top_screen, top_terminal, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(quit_key_restores_the_terminal) {
  const testing::temporary_directory folder;
  const auto before = folder.path() / "before";
  const auto after = folder.path() / "after";
  screen.type("stty -g > " + before.string() + "; echo visible");
  screen.wait_for_line("visible");
  start();
  BOOST_TEST(!screen.shows("visible"));
  screen.press("q");
  screen.wait_for_line("code=0");
  BOOST_TEST(screen.shows("visible"));
  screen.type("stty -g > " + after.string() + "; echo written");
  screen.wait_for_line("written");
  BOOST_TEST(contents(before) != "");
  BOOST_TEST(contents(before) == contents(after));
}

BOOST_AUTO_TEST_CASE(interrupt_key_restores_the_terminal) {
  start();
  screen.press("C-c");
  screen.wait_for_line("code=130");
  screen.type("echo typed");
  screen.wait_for_line("typed");
}

BOOST_AUTO_TEST_CASE(stop_key_gives_the_terminal_back_until_it_goes_on) {
  start();
  for (const std::string text : {"one", "two"}) {
    screen.press("C-z");
    screen.wait_for_text("Stopped");
    screen.type("echo " + text);
    screen.wait_for_line(text);
    screen.type("fg");
    screen.wait_for_text("q quit");
    BOOST_TEST(screen.lines()[0].starts_with("zklock top " + root));
  }
  screen.press("q");
  screen.type("echo end");
  screen.wait_for_line("end");
}

BOOST_AUTO_TEST_CASE(size_of_the_terminal_is_followed) {
  const hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  start();
  wait_for_row("tickets", {"mutex"});
  screen.resize(60, 8);
  wait_until([&] {
    const auto all = screen.lines();
    return all.size() == 8 && all[7].starts_with("Up Down") && all[7].ends_with("...") &&
           all[2].starts_with("PATH ") && all[2].find("TYPE") == all[2].npos;
  });
  screen.resize(30, 4);
  screen.wait_for_line("too small: 40 x 6 needed");
  screen.resize(200, 40);
  wait_for_row("tickets", {"mutex"});
}

BOOST_AUTO_TEST_CASE(many_locks_are_scrolled) {
  for (int i = 100; i < 160; ++i)
    create_foreign_entry(witness, root + "/" + std::to_string(i));
  start("--sort path");
  screen.wait_for_text(" 60 locks, ");
  screen.wait_for_text(root + "/100 ");
  BOOST_TEST(!screen.shows(root + "/159 "));
  screen.press("G");
  screen.wait_for_text(root + "/159 ");
  BOOST_TEST(!screen.shows(root + "/100 "));
  screen.press("NPage");
  screen.press("PPage");
  screen.press("k");
  screen.press("Home");
  screen.wait_for_text(root + "/100 ");
  screen.press("NPage");
  screen.wait_for_text(root + "/136 ");
  BOOST_TEST(!screen.shows(root + "/100 "));
}

BOOST_AUTO_TEST_CASE(lost_connection_is_shown_with_the_last_picture_and_recovered) {
  hold held = get(mutex(one, root + "/tickets").acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/tickets").acquire(asio::use_future);
  wait_for_entries(root + "/tickets", 2);
  testing::relay wire(shared_server().direct_address());
  start("--connect-timeout 0.3 --servers " + wire.address());
  wait_for_row("tickets", {"1", "1", "till 1"});
  screen.press("Down"); // A single row: it stays selected.
  wire.refuse();
  wire.cut();
  screen.wait_for_text("no connection for ");
  BOOST_TEST(row_of("tickets").find("till 1") != std::string::npos);
  get(held.release(asio::use_future));
  const hold next = get(waiting);
  // Longer than its attempts to look: it goes on.
  screen.wait_for_text("no connection for 1.");
  BOOST_TEST(row_of("tickets").find("till 1") != std::string::npos);
  wire.accept();
  wait_for_row("tickets", {"1", "0", "till 2"});
  wait_until([&] { return !screen.shows("no connection"); });
}

BOOST_AUTO_TEST_CASE(locks_are_dimmed_without_a_connection) {
  const hold a = get(mutex(one, root + "/a").acquire(30s, asio::use_future));
  const hold b = get(mutex(one, root + "/b").acquire(30s, asio::use_future));
  testing::relay wire(shared_server().direct_address());
  start("--sort path --servers " + wire.address());
  wait_for_row("b", {"till 1"});
  const auto is_dimmed = [&] { return row_of("b", true).starts_with("\x1b[0;2m"); };
  BOOST_TEST(!is_dimmed());
  wire.refuse();
  wire.cut();
  wait_until(is_dimmed);
}

BOOST_AUTO_TEST_CASE(doubtful_locks_are_coloured_unless_no_color_is_set) {
  const hold a = get(mutex(one, root + "/a").acquire(30s, asio::use_future));
  const hold b = get(mutex(one, root + "/b").acquire(30s, asio::use_future));
  auto waiting = mutex(two, root + "/b").acquire(asio::use_future);
  wait_for_entries(root + "/b", 2);
  const std::string yellow = "\x1b[33m";
  start("--sort path --stuck-after 0");
  wait_for_row("b", {"stuck"});
  BOOST_TEST(row_of("b", true).find(yellow) != std::string::npos);
  screen.press("q");
  screen.wait_for_line("code=0");
  screen.type("export NO_COLOR=1; clear");
  start("--sort path --stuck-after 0");
  wait_for_row("b", {"stuck"});
  BOOST_TEST(row_of("b", true).find(yellow) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(unknown_type_of_terminal_is_refused) {
  screen.type("TERM=coffee zklock top " + root + "; echo code=$?");
  screen.wait_for_line("code=71");
  BOOST_TEST(screen.shows("zklock: unknown type of terminal \"coffee\" in TERM"));
}

BOOST_AUTO_TEST_CASE(closed_terminal_ends_the_program) {
  const testing::temporary_directory folder;
  const auto file = (folder.path() / "id").string();
  pid_t id = 0;
  {
    terminal other;
    other.type("sh -c 'echo $$ > " + file + "; exec " ZKLOCK_COMMAND " top " + root + "'");
    other.wait_for_text("q quit");
    std::ifstream(file) >> id;
    BOOST_TEST_REQUIRE(is_alive(id));
  }
  wait_until([&] { return !is_alive(id); });
}

BOOST_AUTO_TEST_SUITE_END()
