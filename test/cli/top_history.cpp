// The history that `zklock top` tells from several looks, without servers.
#include "cli/top/lock_history.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::cli;
using namespace std::chrono_literals;

namespace {

const std::chrono::steady_clock::time_point start{1000s};
const std::chrono::system_clock::time_point noon{1700000000s};

lock_history::moment at(std::chrono::nanoseconds time) {
  return {.steady = start + time,
          .wall = noon + std::chrono::duration_cast<std::chrono::system_clock::duration>(time)};
}

// The session of an entry is its number, and so is its transaction.
participant entry(std::int64_t number, bool holds) {
  return {.node = "/l/x-lock-" + std::to_string(number),
          .number = number,
          .is_holder = holds,
          .identity = "till " + std::to_string(number),
          .queued_since = noon + std::chrono::seconds(number),
          .token = fencing_token(number + 1, 0),
          .session_id = number + 1};
}

participant permit(std::int64_t number, std::int64_t transaction) {
  auto made = entry(number, true);
  made.role = participant_role::permit;
  made.node = "/l/leases/" + std::to_string(number);
  made.token = fencing_token(transaction, 0);
  made.session_id = transaction;
  return made;
}

found_lock mutex_at(const std::string& path, std::vector<participant> all) {
  return {.path = path, .type = lock_type::mutex, .participants = std::move(all)};
}

found_lock semaphore_at(const std::string& path, std::vector<participant> all) {
  return {.path = path, .type = lock_type::semaphore, .participants = std::move(all)};
}

lock_row only(std::vector<lock_row> rows) {
  BOOST_TEST_REQUIRE(rows.size() == 1U);
  return std::move(rows.front());
}

bool is_marked(const lock_row& row, const std::string& mark) {
  return std::ranges::find(row.marks, mark) != row.marks.end();
}

} // namespace

BOOST_AUTO_TEST_SUITE(top_history)

BOOST_AUTO_TEST_CASE(first_look_has_counts_and_waits_but_no_rate) {
  lock_history history(1min);
  const auto row = only(
      history.add({mutex_at("/l", {entry(1, true), entry(2, false), entry(5, false)})}, at(9s)));
  BOOST_TEST(row.holders == 1U);
  BOOST_TEST(row.waiters == 2U);
  BOOST_TEST(!row.handovers.has_value());
  BOOST_TEST((row.longest_wait == std::chrono::nanoseconds(7s)));
  BOOST_TEST(row.holder.value() == 0U);
  BOOST_TEST(row.held.older);
  BOOST_TEST(row.marks.empty());
}

BOOST_AUTO_TEST_CASE(entries_of_a_mutex_between_two_holders_are_handovers) {
  lock_history history(1min);
  history.add({mutex_at("/l", {entry(10, true)})}, at(0s));
  const auto row = only(history.add({mutex_at("/l", {entry(16, true)})}, at(2s)));
  BOOST_TEST(row.handovers.value() == 3.0);
}

BOOST_AUTO_TEST_CASE(same_holder_is_no_handover) {
  lock_history history(1min);
  history.add({mutex_at("/l", {entry(10, true)})}, at(0s));
  const auto row = only(history.add({mutex_at("/l", {entry(10, true), entry(11, false)})}, at(2s)));
  BOOST_TEST(row.handovers.value() == 0.0);
}

BOOST_AUTO_TEST_CASE(holder_after_a_free_lock_counts_from_the_last_one) {
  lock_history history(1min);
  history.add({mutex_at("/l", {entry(10, true)})}, at(0s));
  const auto free = only(history.add({found_lock{.path = "/l"}}, at(1s)));
  BOOST_TEST(free.handovers.value() == 0.0);
  BOOST_TEST(static_cast<int>(free.lock.type) == static_cast<int>(lock_type::mutex));
  BOOST_TEST(!free.holder.has_value());
  const auto row = only(history.add({mutex_at("/l", {entry(14, true)})}, at(2s)));
  BOOST_TEST(row.handovers.value() == 2.0);
}

BOOST_AUTO_TEST_CASE(numbers_that_start_again_count_one_handover) {
  lock_history history(1min);
  history.add({mutex_at("/l", {entry(1000, true)})}, at(0s));
  const auto row = only(history.add({mutex_at("/l", {entry(3, true)})}, at(1s)));
  BOOST_TEST(row.handovers.value() == 1.0);
}

BOOST_AUTO_TEST_CASE(permits_taken_together_are_one_handover) {
  lock_history history(1min);
  history.add({semaphore_at("/l", {permit(1, 50)})}, at(0s));
  const auto row = only(history.add(
      {semaphore_at("/l", {permit(1, 50), permit(2, 60), permit(3, 60), permit(4, 70)})}, at(1s)));
  BOOST_TEST(row.handovers.value() == 2.0);
  BOOST_TEST(row.holders == 4U);
}

BOOST_AUTO_TEST_CASE(rate_forgets_what_is_older_than_its_window) {
  lock_history history(1min);
  history.add({mutex_at("/l", {entry(0, true)})}, at(0s));
  history.add({mutex_at("/l", {entry(100, true)})}, at(1s));
  lock_row row;
  for (int second = 2; second <= 12; ++second)
    row = only(history.add({mutex_at("/l", {entry(100, true)})}, at(std::chrono::seconds(second))));
  BOOST_TEST(row.handovers.value() == 0.0);
}

BOOST_AUTO_TEST_CASE(lock_that_appears_has_one_handover_since_the_last_look) {
  lock_history history(1min);
  history.add({}, at(0s));
  const auto row = only(history.add({mutex_at("/l", {entry(4, true)})}, at(1s)));
  BOOST_TEST(row.handovers.value() == 1.0);
  BOOST_TEST(!row.held.older);
}

BOOST_AUTO_TEST_CASE(hold_is_observed_since_the_first_look_that_showed_it) {
  lock_history history(1min);
  history.add({mutex_at("/l", {entry(1, true)})}, at(0s));
  history.add({mutex_at("/l", {entry(2, true)})}, at(5s));
  const auto row = only(history.add({mutex_at("/l", {entry(2, true)})}, at(8s)));
  BOOST_TEST((row.held.age == std::chrono::nanoseconds(3s)));
  BOOST_TEST(!row.held.older);
}

BOOST_AUTO_TEST_CASE(oldest_of_several_holders_is_shown) {
  lock_history history(1min);
  history.add({semaphore_at("/l", {permit(2, 60)})}, at(0s));
  const auto row = only(history.add({semaphore_at("/l", {permit(1, 50), permit(2, 60)})}, at(4s)));
  BOOST_TEST(row.holder.value() == 1U);
  BOOST_TEST((row.held.age == std::chrono::nanoseconds(4s)));
}

BOOST_AUTO_TEST_CASE(holder_that_stays_is_marked_while_others_wait) {
  lock_history history(1min);
  const auto waiting = mutex_at("/l", {entry(1, true), entry(2, false)});
  history.add({waiting}, at(0s));
  BOOST_TEST(!is_marked(only(history.add({waiting}, at(59s))), "stuck"));
  BOOST_TEST(is_marked(only(history.add({waiting}, at(60s))), "stuck"));
  BOOST_TEST(!is_marked(only(history.add({mutex_at("/l", {entry(1, true)})}, at(61s))), "stuck"));
}

BOOST_AUTO_TEST_CASE(new_holder_of_a_permit_takes_the_mark_away) {
  lock_history history(1min);
  const auto waiter = entry(9, false);
  history.add({semaphore_at("/l", {permit(1, 50), waiter})}, at(0s));
  const auto row =
      only(history.add({semaphore_at("/l", {permit(1, 50), permit(2, 60), waiter})}, at(90s)));
  BOOST_TEST(!is_marked(row, "stuck"));
}

BOOST_AUTO_TEST_CASE(session_that_holds_and_waits_is_marked) {
  lock_history history(1min);
  auto waiter = entry(2, false);
  waiter.session_id = entry(1, true).session_id;
  BOOST_TEST(
      is_marked(only(history.add({mutex_at("/l", {entry(1, true), waiter})}, at(0s))), "self"));
  BOOST_TEST(!is_marked(
      only(history.add({mutex_at("/l", {entry(1, true), entry(2, false)})}, at(1s))), "self"));
}

BOOST_AUTO_TEST_CASE(participant_that_may_not_be_read_has_no_session_and_no_wait) {
  lock_history history(1min);
  participant hidden{.node = "/l/a", .number = 1, .is_holder = true};
  participant other{.node = "/l/b", .number = 2};
  auto lock = mutex_at("/l", {hidden, other});
  lock.error = errc::no_permission;
  const auto row = only(history.add({lock}, at(0s)));
  BOOST_TEST(!row.longest_wait.has_value());
  BOOST_TEST(is_marked(row, "unreadable"));
  BOOST_TEST(!is_marked(row, "self"));
}

BOOST_AUTO_TEST_CASE(empty_directory_has_a_row_only_after_it_was_in_use) {
  lock_history history(1min);
  BOOST_TEST(history.add({found_lock{.path = "/l"}}, at(0s)).empty());
  history.add({mutex_at("/l", {entry(1, true)})}, at(1s));
  BOOST_TEST(history.add({found_lock{.path = "/l"}}, at(2s)).size() == 1U);
  BOOST_TEST(history.add({}, at(3s)).empty());
  BOOST_TEST(history.add({found_lock{.path = "/l"}}, at(4s)).empty());
}

BOOST_AUTO_TEST_SUITE_END()
