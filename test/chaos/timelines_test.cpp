// The checks know of servers that were set back to older data.
#include "chaos/written_logs.hpp"

using namespace chaos;

namespace {

std::string at(nanoseconds seconds) {
  return std::to_string(seconds * second);
}

/// Returns the log of a hold that is asked for a second before it begins.
std::string hold_of(int number, int begin, int end, int token, int valid = 1000) {
  const auto name = ' ' + std::to_string(number);
  return "A " + at(begin - 1) + name + " /l x 1 -1\nG " + at(begin) + name + ' ' +
         std::to_string(token) + " 0 " + at(valid) + " 7 /l/" + std::to_string(token) + "\nR " +
         at(end) + name + ' ' + at(valid) + "\nD " + at(end) + name + " 0\n";
}

std::string connected(int time) {
  return "M " + at(time) + " 0 connected to a:1 server=a:1 session=0x7 new_session=false\n";
}

std::string told(int time) {
  return "M " + at(time) + " 0 the servers came back with older data, and tokens may go back " +
         "server=a:1 zxid=0x3 seen_zxid=0x5\n";
}

/// The servers were set back at 50 seconds to their data at 40 seconds.
evidence restored(std::vector<history> histories) {
  auto all = of(std::move(histories));
  all.restores.push_back({.kept_until = 40 * second, .when = {50 * second, 51 * second}});
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(chaos_timelines)

BOOST_AUTO_TEST_CASE(hold_from_before_a_restore_is_uncertain_from_then_on) {
  const auto before = connected(1) + hold_of(1, 45, 60, 9);
  const auto after = hold_of(1, 55, 58, 10);
  BOOST_TEST(complains(of({read(before), read(after, "b")}), "two holders"));
  BOOST_TEST(is_content(restored({read(before), read(after, "b")})));
  // Until the restore it is as certain as ever.
  BOOST_TEST(complains(restored({read(before), read(connected(1) + hold_of(1, 48, 49, 10), "b")}),
                       "two holders"));
}

BOOST_AUTO_TEST_CASE(hold_from_before_a_restore_excludes_others_once_its_client_must_know) {
  const auto before = connected(1) + hold_of(1, 45, 80, 9) + connected(53);
  BOOST_TEST(is_content(restored({read(before), read(hold_of(1, 55, 61, 10), "b")})));
  BOOST_TEST(complains(restored({read(before), read(hold_of(1, 62, 63, 10), "b")}), "two holders"));
  BOOST_TEST(complains(restored({read(before), read(hold_of(1, 55, 62, 10), "b")}), "two holders"));
}

BOOST_AUTO_TEST_CASE(hold_that_a_client_grants_before_it_knows_of_a_restore_is_uncertain) {
  const auto late = hold_of(1, 52, 60, 9);
  const auto other = read(hold_of(1, 53, 54, 10), "b");
  BOOST_TEST(is_content(restored({read(connected(1) + hold_of(2, 3, 4, 2) + late), other})));
  BOOST_TEST(complains(restored({read(hold_of(2, 3, 4, 2) + connected(52) + late), other}),
                       "two holders"));
}

BOOST_AUTO_TEST_CASE(tokens_may_go_back_by_a_restore_and_not_after_it) {
  const auto before = read(hold_of(1, 45, 46, 9));
  const auto after = hold_of(1, 55, 58, 4);
  BOOST_TEST(is_content(restored({before, read(after, "b")})));
  const auto later = read(hold_of(1, 59, 60, 3), "c");
  BOOST_TEST(complains(restored({before, read(after, "b"), later}), "a token falls"));
}

BOOST_AUTO_TEST_CASE(process_whose_tokens_go_back_must_be_told) {
  const auto before = connected(1) + hold_of(1, 45, 46, 9);
  const auto after = hold_of(2, 55, 58, 4);
  BOOST_TEST(complains(restored({read(before + connected(53) + after)}), "a token falls untold"));
  BOOST_TEST(complains(restored({read(before + connected(53) + after + told(59))}),
                       "a token falls untold"));
  BOOST_TEST(is_content(restored({read(before + connected(53) + told(54) + after)})));
  const std::string failed = "M 52000000000 0 no server is usable: refused\n";
  BOOST_TEST(is_content(restored({read(before + failed + connected(53) + after)})));
  BOOST_TEST(is_content(restored({read(before + connected(53) + hold_of(2, 55, 58, 10))})));
}

BOOST_AUTO_TEST_CASE(older_data_without_a_restore_is_found) {
  const auto one = read(connected(1) + told(2));
  auto all = of({one});
  BOOST_TEST(complains(all, "older data without a restore"));
  all.logged.emplace().zxids = {3, 5};
  BOOST_TEST(complains(all, "older data without a restore"));
  all.logged->zxids = {3};
  BOOST_TEST(is_content(all));
  const auto resurrected =
      "M 2 0 the servers came back with older data, server=a:1 resurrected=/l\n";
  all = of({read(resurrected)});
  all.logged.emplace();
  BOOST_TEST(complains(all, "older data without a restore"));
  all.differences = {1};
  BOOST_TEST(is_content(all));
  BOOST_TEST(check(all).told_of_differences == 1u);
  all.differences = {3};
  BOOST_TEST(complains(all, "older data without a restore"));
  BOOST_TEST(complains(restored({read(told(49))}), "older data without a restore"));
  BOOST_TEST(complains(restored({read(told(112))}), "older data without a restore"));
  BOOST_TEST(check(restored({read(told(52))})).told_of_older_data == 1u);
  // The servers have served no client for a minute.
  BOOST_TEST(is_content(restored({read(connected(1) + connected(112) + told(113))})));
  BOOST_TEST(complains(restored({read(connected(1) + connected(112) + told(173))}),
                       "older data without a restore"));
}

BOOST_AUTO_TEST_CASE(difference_of_servers_from_before_a_restore_counts_no_more) {
  auto all = restored(
      {read(connected(1) + connected(53) + "M " + at(120) +
            " 0 the servers came back with older data, " + "server=a:1 resurrected=/l\n")});
  all.differences = {45 * second};
  BOOST_TEST(complains(all, "older data without a restore"));
  all.differences = {45 * second, 60 * second};
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(commit_is_lost_by_a_restore_only_if_it_is_younger_than_the_copy) {
  const auto committed = [](int time) {
    return restored({read(connected(1) + hold_of(1, 30, 49, 3) + "K " + at(time) + " 1 /c/1\n")});
  };
  BOOST_TEST(complains(committed(39), "commit lost"));
  BOOST_TEST(is_content(committed(41)));
  auto later = restored({read(hold_of(1, 60, 70, 3) + "K " + at(65) + " 1 /c/1\n")});
  BOOST_TEST(complains(later, "commit lost"));
}

BOOST_AUTO_TEST_CASE(losses_of_the_servers_are_counted) {
  auto all = of({read(hold_of(1, 10, 30, 3) + "K " + at(15) + " 1 /c/1\n"),
                 read(hold_of(1, 20, 25, 4), "b")});
  all.logged.emplace() = {.zxids = {3, 4}, .commits = {"/c/1"}};
  BOOST_TEST(check(all).violations == 2u);
  all.logged.emplace() = {.zxids = {4}, .commits = {}};
  BOOST_TEST(is_content(all));
  BOOST_TEST(check(all).lost_by_servers == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
