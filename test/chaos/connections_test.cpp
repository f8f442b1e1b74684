// The checks of connections, blocked loops and authentication find known faults.
#include <zklock/error.hpp>

#include "chaos/written_logs.hpp"

using namespace chaos;

namespace {

std::string lost_at(nanoseconds time) {
  return "M " + std::to_string(time) + " 0 lost the connection to a:1: connection loss\n";
}

std::string refused_at(nanoseconds time) {
  return "A 1 1 /l x 1 -1\nE " + std::to_string(time) + " 1 " +
         std::to_string(static_cast<int>(zklock::errc::authentication_failed)) + '\n';
}

} // namespace

BOOST_AUTO_TEST_SUITE(chaos_connections)

BOOST_AUTO_TEST_CASE(connection_that_is_lost_without_a_fault_is_found) {
  auto all = of({read(lost_at(20 * second))});
  BOOST_TEST(complains(all, "a connection is lost without a fault"));
  all.disturbed["b"] = {{19 * second, 21 * second}};
  BOOST_TEST(complains(all, "a connection is lost without a fault"));
  all.disturbed["a"] = {{5 * second, 9 * second}, {21 * second, 22 * second}};
  BOOST_TEST(complains(all, "a connection is lost without a fault"));
  all.disturbed["a"] = {{5 * second, 11 * second}};
  BOOST_TEST(is_content(all));
  BOOST_TEST(check(all).lost_connections == 1u);
}

BOOST_AUTO_TEST_CASE(connection_to_a_server_that_fails_may_be_lost) {
  auto all = of({read(lost_at(20 * second))});
  all.crashes = {5 * second, 21 * second};
  BOOST_TEST(complains(all, "a connection is lost without a fault"));
  all.crashes = {11 * second};
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(connection_of_a_session_that_is_ended_by_hand_may_be_lost) {
  const std::string connected = "M 5 0 connected to a:1 server=a:1 session=0xff new_session=true\n";
  auto all = of({read(connected + lost_at(20 * second))});
  all.by_hand.expired[7] = 19 * second;
  BOOST_TEST(complains(all, "a connection is lost without a fault"));
  all.by_hand.expired[255] = 19 * second;
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(commit_of_unknown_outcome_without_a_fault_is_found) {
  auto all = of({read(held(1, 10, 20, 3) + "u 15 1 /c/1\n")});
  BOOST_TEST(complains(all, "a commit of unknown outcome without a fault"));
  all.disturbed["a"] = {{14, 16}};
  BOOST_TEST(is_content(all));
  BOOST_TEST(check(all).unknown_commits == 1u);
}

BOOST_AUTO_TEST_CASE(body_on_another_loop_ends_although_the_loop_of_its_client_is_blocked) {
  const auto overlap = [](const std::string& loop) {
    const auto body =
        "A 1 1 /l x 1 -1\nG 10 1 3 0 20 7 /l/3\nB 11 1 " + loop + "\nR 40 1 20\nD 41 1 0\n";
    auto all = of({read(body), read(held(1, 30, 50, 4), "b")});
    all.blocked["a"] = {{15, 45}};
    return all;
  };
  BOOST_TEST(complains(overlap("1"), "two holders"));
  BOOST_TEST(is_content(overlap("0")));
  auto paused = overlap("1");
  paused.paused["a"] = {{15, 16}};
  BOOST_TEST(is_content(paused));
}

BOOST_AUTO_TEST_CASE(deadline_moves_by_the_time_for_which_the_loop_of_a_client_is_blocked) {
  auto all = of({read("A 0 1 /l x 1 500\nE 9500000000 1 timed_out\n")});
  BOOST_TEST(complains(all, "an acquire ends late"));
  all.blocked["a"] = {{second, 5 * second}};
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(authentication_that_fails_without_a_demand_is_found) {
  auto all = of({read(refused_at(20))});
  BOOST_TEST(complains(all, "authentication fails without a demand"));
  all.demands = {{21, 30}};
  BOOST_TEST(complains(all, "authentication fails without a demand"));
  all.demands = {{19, 30}};
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(process_that_does_not_go_on_after_a_demand_is_found) {
  const auto asks_at = [](nanoseconds time) {
    const auto asked =
        "A " + std::to_string(time) + " 2 /l x 1 -1\nE " + std::to_string(time + 1) + " 2 7\n";
    auto all = of({read(refused_at(20) + asked)});
    all.demands = {{19, 30}};
    return all;
  };
  BOOST_TEST(is_content(asks_at(19 * second)));
  BOOST_TEST(complains(asks_at(21 * second), "a process does not go on after a demand"));
  auto younger = of({read("A 21000000000 1 /l x 1 -1\nE 22000000000 1 7\n")});
  younger.demands = {{19, 30}};
  BOOST_TEST(is_content(younger));
}

BOOST_AUTO_TEST_SUITE_END()
