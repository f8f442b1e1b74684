// The checks of ends and data find the known faults of logs.
#include "chaos/written_logs.hpp"

using namespace chaos;

BOOST_AUTO_TEST_SUITE(chaos_checker)

BOOST_AUTO_TEST_CASE(waiter_that_never_ends_is_found) {
  auto waiting = read("A 1 1 /l x 1 -1\n");
  BOOST_TEST(complains(of({waiting}), "a waiter does not end"));
  waiting.killed = true;
  BOOST_TEST(is_content(of({waiting})));
  BOOST_TEST(is_content(of({read("A 1 1 /l x 1 500\nE 600 1 timed_out\n")})));
}

BOOST_AUTO_TEST_CASE(release_that_never_ends_is_found) {
  BOOST_TEST(complains(of({read("A 1 1 /l x 1 -1\nG 10 1 3 0 99 7 /l/3\nR 20 1 99\n")}),
                       "a release does not end"));
}

BOOST_AUTO_TEST_CASE(hold_that_never_ends_is_found) {
  BOOST_TEST(
      complains(of({read("A 1 1 /l x 1 -1\nG 10 1 3 0 99 7 /l/3\n")}), "a hold does not end"));
}

BOOST_AUTO_TEST_CASE(acquire_that_ends_long_after_its_deadline_is_found) {
  const auto ends_at = [](const std::string& time, const std::string& timeout_ms = "500") {
    return of({read("A 0 1 /l x 1 " + timeout_ms + "\nE " + time + " 1 timed_out\n")});
  };
  BOOST_TEST(is_content(ends_at("5500000000")));
  BOOST_TEST(check(ends_at("5500000000")).latest_after_deadline == 5'000'000'000);
  BOOST_TEST(complains(ends_at("5500000001"), "an acquire ends late"));
  BOOST_TEST(is_content(ends_at("5500000001", "-1")));
  BOOST_TEST(is_content(ends_at("5500000001", "0")));
}

BOOST_AUTO_TEST_CASE(grant_long_after_the_deadline_is_found) {
  const auto granted = "A 0 1 /l x 1 500\nG 5500000001 1 3 0 1 7 /l/3\n"
                       "R 5500000002 1 1\nD 5500000003 1 0\n";
  BOOST_TEST(complains(of({read(granted)}), "an acquire ends late"));
}

BOOST_AUTO_TEST_CASE(deadline_moves_by_the_time_for_which_a_process_is_paused) {
  auto all = of({read("A 10 1 /l x 1 500\nE 5500000020 1 timed_out\n")});
  all.paused["b"] = {{10, 20}};
  BOOST_TEST(complains(all, "an acquire ends late"));
  all.paused["a"] = {{0, 15}, {5'500'000'016, 5'500'000'030}};
  BOOST_TEST(complains(all, "an acquire ends late"));
  all.paused["a"].push_back({20, 21});
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(lost_element_of_a_fenced_set_is_found) {
  auto all = of({read(held(1, 10, 20, 3) + "F 15 1 set-1 a.1\nF 16 1 set-1 a.2\n")});
  all.fenced_sets["set-1"] = {"a.1"};
  BOOST_TEST(complains(all, "fenced data lost"));
  all.fenced_sets["set-1"].insert("a.2");
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(losses_without_a_fence_are_counted) {
  auto all =
      of({read(held(1, 10, 20, 3) +
               "U 15 1 set-1 a.1\nN 16 1 checked-1\nn 17 1 unchecked-1\nN 18 1 checked-1\n")});
  all.unfenced_sets["set-1"] = {};
  all.counters = {{"checked-1", 1}, {"unchecked-1", 1}};
  const auto found = check(all);
  BOOST_TEST(found.violations == 0u);
  BOOST_TEST(found.lost_unfenced == 1u);
  BOOST_TEST(found.checked.counted == 2u);
  BOOST_TEST(found.checked.lost == 1);
  BOOST_TEST(found.unchecked.counted == 1u);
  BOOST_TEST(found.unchecked.lost == 0);
}

BOOST_AUTO_TEST_CASE(lost_commit_and_failed_commit_are_found) {
  auto all = of({read(held(1, 10, 20, 3) + "K 15 1 /c/1\nk 16 1 /c/2 bad_version\n")});
  BOOST_TEST(complains(all, "commit lost"));
  all.commits = {{"/c/1", 100, "/l", {3, 0}}};
  BOOST_TEST(is_content(all));
  all.commits.push_back({"/c/2", 101, "/l", {3, 0}});
  BOOST_TEST(complains(all, "failed commit is there"));
}

BOOST_AUTO_TEST_CASE(commit_of_an_earlier_hold_after_that_of_a_later_one_is_found) {
  auto all = of({});
  all.commits = {{"/c/1", 100, "/l", {3, 0}}, {"/c/2", 101, "/m", {2, 0}}};
  BOOST_TEST(is_content(all));
  all.commits.push_back({"/c/3", 99, "/l", {4, 0}});
  BOOST_TEST(complains(all, "commit of an earlier hold"));
}

BOOST_AUTO_TEST_CASE(line_that_is_cut_off_is_left_out_and_a_bad_one_is_found) {
  BOOST_TEST(is_content(of({read(held(1, 10, 20, 3) + "A 30 2 /l")})));
  BOOST_TEST(complains(of({read("Q 30 2 /l\n")}), "bad line"));
  BOOST_TEST(complains(of({read("G 30 2 3 0 99 7 /l/3\n")}), "bad line"));
}

BOOST_AUTO_TEST_SUITE_END()
