// The page that `zklock top` draws, without a terminal.
#include "cli/top/fitted_text.hpp"
#include "cli/top/page.hpp"
#include "cli/top/row_table.hpp"
#include "cli/top_rows.hpp"

#include <boost/test/unit_test.hpp>

#include <clocale>
#include <sstream>

using namespace zklock;
using namespace zklock::cli;
using namespace std::chrono_literals;
using zklock::test::row_of;

namespace {

struct utf8_locale {
  utf8_locale() { std::setlocale(LC_CTYPE, "C.UTF-8"); }
  ~utf8_locale() { std::setlocale(LC_CTYPE, "C"); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(top_page, utf8_locale)

BOOST_AUTO_TEST_CASE(text_is_cut_by_its_columns) {
  BOOST_TEST(cut_end("tickets", 7) == "tickets");
  BOOST_TEST(cut_end("tickets", 6) == "tic...");
  BOOST_TEST(cut_end("tickets", 2) == "..");
  BOOST_TEST(cut_middle("/locks/some/where/tickets", 13) == "/lock...ckets");
  BOOST_TEST(cut_middle("/locks", 3) == "...");
  // Two columns each: a half of a character is left out.
  BOOST_TEST(columns_of("票票票") == 6U);
  BOOST_TEST(cut_end("票票票票", 6) == "票...");
  BOOST_TEST(padded("é", 3) == "é  ");
  BOOST_TEST(padded("7", 3, true) == "  7");
}

BOOST_AUTO_TEST_CASE(text_is_wrapped_at_the_last_column) {
  BOOST_TEST(wrapped("abcdefgh", 3) == (std::vector<std::string>{"abc", "def", "gh"}),
             boost::test_tools::per_element());
  BOOST_TEST(wrapped("", 3).size() == 1U);
  BOOST_TEST(wrapped("票票", 1).size() == 2U);
}

BOOST_AUTO_TEST_CASE(table_is_never_wider_than_the_terminal) {
  auto row = row_of("/" + std::string(300, 'p') + "/end", 12345);
  row.lock.participants[0].identity = std::string(200, 'i');
  const std::vector rows{row};
  const row_table table(rows);
  for (std::size_t width = 40; width < 200; ++width) {
    const auto lines = table.lines(width);
    for (const auto& each : lines)
      BOOST_TEST(columns_of(each) == width);
    BOOST_TEST(lines[0].starts_with("PATH"));
    BOOST_TEST(lines[0].find("WAITERS") != std::string::npos);
    BOOST_TEST(lines[1].find("...") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(control_characters_of_an_identity_are_escaped) {
  auto row = row_of("/l", 0);
  row.lock.participants[0].identity = "till\x1b[31m\n";
  const std::vector rows{row};
  BOOST_TEST(row_table(rows).lines(120)[1].find("till\\x1b[31m\\x0a") != std::string::npos);
  std::ostringstream printed;
  row_table(rows).print(printed, false);
  BOOST_TEST(printed.str().find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(title_counts_one_or_several) {
  top_state state{.root = "/locks", .locks = lock_list(sort_key::path), .interval = 1s};
  state.looked = true;
  state.locks.show({row_of("/locks/a", 1)});
  BOOST_TEST(compose(state, 10, 80)[0].text.find("  1 lock, 1 held, 1 waiter  ") !=
             std::string::npos);
  state.locks.show({row_of("/locks/a", 2), row_of("/locks/b", 0)});
  BOOST_TEST(compose(state, 10, 80)[0].text.find("  2 locks, 2 held, 2 waiters  ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(page_fills_the_screen_and_no_more) {
  top_state state{.root = "/locks", .locks = lock_list(sort_key::path), .interval = 1s};
  std::vector<lock_row> rows;
  for (int i = 0; i < 50; ++i)
    rows.push_back(row_of("/locks/" + std::to_string(i), 0));
  state.locks.show(rows);
  state.looked = true;
  state.locks.move_to_last();
  for (std::size_t lines = 6; lines < 70; ++lines) {
    state.shows_line = lines % 2 == 0;
    state.question.assign(lines % 3, "Break?");
    const auto page = compose(state, lines, 60);
    BOOST_TEST(page.size() == lines);
    for (const auto& each : page)
      BOOST_TEST(columns_of(each.text) <= 60U);
  }
}

BOOST_AUTO_TEST_CASE(page_of_a_terminal_that_is_too_small_says_so) {
  top_state state{.root = "/", .locks = lock_list(sort_key::path)};
  for (const auto& [lines, columns] :
       {std::pair(5U, 80U), std::pair(24U, 39U), std::pair(1U, 3U)}) {
    const auto page = compose(state, lines, columns);
    BOOST_TEST(page.size() == 1U);
    BOOST_TEST(page[0].text.size() <= columns);
  }
  BOOST_TEST(compose(state, 5, 80)[0].text == "too small: 40 x 6 needed");
}

BOOST_AUTO_TEST_CASE(long_question_keeps_its_first_line_and_its_end) {
  top_state state{.root = "/", .locks = lock_list(sort_key::path)};
  state.question.assign(30, "holds  node");
  state.question.front() = "Break /l?";
  state.question.back() = "Delete? [y/N]";
  const auto page = compose(state, 10, 60);
  BOOST_TEST(page.size() == 10U);
  BOOST_TEST(page[1].text.starts_with("Break /l?"));
  BOOST_TEST(page[9].text.starts_with("Delete? [y/N]"));
}

BOOST_AUTO_TEST_SUITE_END()
