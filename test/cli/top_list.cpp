// The order of the rows of `zklock top`, and the selection.
#include "cli/failure.hpp"
#include "cli/top/lock_list.hpp"
#include "cli/top_rows.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::cli;
using zklock::test::row_of;

namespace {

std::string paths_of(const lock_list& list) {
  std::string all;
  for (const auto& each : list.rows())
    all += each.lock.path;
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(top_list)

BOOST_AUTO_TEST_CASE(rows_are_sorted_by_each_key_and_then_by_path) {
  lock_list list(sort_key::waiters);
  list.show({row_of("d", 1, 5), row_of("b", 2, 1), row_of("a", 1, 3), row_of("c", 3, 1)});
  BOOST_TEST(paths_of(list) == "cbad");
  list.sort_by_next();
  BOOST_TEST(paths_of(list) == "badc"); // waits of 2, 1, 1 and 0 s
  list.sort_by_next();
  BOOST_TEST(paths_of(list) == "dabc");
  list.sort_by_next();
  BOOST_TEST(paths_of(list) == "abcd");
  list.sort_by_next();
  BOOST_TEST(name_of(list.sorted_by()) == "waiters");
}

BOOST_AUTO_TEST_CASE(unknown_sort_key_is_refused) {
  BOOST_TEST((parse_sort_key("handovers") == sort_key::handovers));
  BOOST_CHECK_THROW(parse_sort_key("size"), usage_error);
}

BOOST_AUTO_TEST_CASE(selection_stays_at_its_lock) {
  lock_list list(sort_key::waiters);
  list.show({row_of("a", 3), row_of("b", 2), row_of("c", 1)});
  list.move(1);
  list.show({row_of("a", 3), row_of("b", 9), row_of("c", 5)});
  BOOST_TEST(list.selected()->lock.path == "b");
  BOOST_TEST(list.selected_index() == 0U);
}

BOOST_AUTO_TEST_CASE(selection_that_was_not_moved_is_the_first_row) {
  lock_list list(sort_key::waiters);
  list.show({row_of("a", 3), row_of("b", 2)});
  list.show({row_of("a", 1), row_of("b", 2)});
  BOOST_TEST(list.selected()->lock.path == "b");
  list.move(1);
  list.move_to_first();
  list.show({row_of("a", 3), row_of("b", 2)});
  BOOST_TEST(list.selected()->lock.path == "a");
}

BOOST_AUTO_TEST_CASE(selection_of_a_lock_that_is_gone_passes_to_the_row_in_its_place) {
  lock_list list(sort_key::path);
  list.show({row_of("a", 0), row_of("b", 0), row_of("c", 0)});
  list.move_to_last();
  list.show({row_of("a", 0), row_of("b", 0)});
  BOOST_TEST(list.selected()->lock.path == "b");
  list.show({});
  BOOST_TEST(list.selected() == nullptr);
  list.move(1);
  list.move_to_last();
}

BOOST_AUTO_TEST_CASE(selection_ends_at_the_first_and_the_last_row) {
  lock_list list(sort_key::path);
  list.show({row_of("a", 0), row_of("b", 0)});
  list.move(-1);
  BOOST_TEST(list.selected_index() == 0U);
  list.move(10);
  BOOST_TEST(list.selected_index() == 1U);
}

BOOST_AUTO_TEST_CASE(visible_part_follows_the_selection) {
  lock_list list(sort_key::path);
  std::vector<lock_row> rows;
  for (char c = 'a'; c < 'k'; ++c)
    rows.push_back(row_of(std::string(1, c), 0));
  list.show(rows);
  BOOST_TEST(list.first_visible(4) == 0U);
  list.move(5);
  BOOST_TEST(list.first_visible(4) == 2U);
  list.move(-2);
  BOOST_TEST(list.first_visible(4) == 2U);
  list.move(-2);
  BOOST_TEST(list.first_visible(4) == 1U);
  list.move_to_last();
  BOOST_TEST(list.first_visible(4) == 6U);
  BOOST_TEST(list.first_visible(20) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
