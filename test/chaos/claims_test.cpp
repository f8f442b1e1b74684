// The checks of holds and tokens find the known faults of logs.
#include "chaos/written_logs.hpp"

using namespace chaos;

BOOST_AUTO_TEST_SUITE(chaos_checker)

BOOST_AUTO_TEST_CASE(holds_in_turn_are_right) {
  const auto all = of({read(held(1, 10, 20, 3)), read(held(1, 20, 30, 4), "b")});
  BOOST_TEST(is_content(all));
  BOOST_TEST(check(all).claims == 2u);
}

BOOST_AUTO_TEST_CASE(holds_that_overlap_are_found) {
  BOOST_TEST(
      complains(of({read(held(1, 10, 21, 3)), read(held(1, 20, 30, 4), "b")}), "two holders"));
}

BOOST_AUTO_TEST_CASE(long_hold_before_a_short_one_is_found) {
  BOOST_TEST(
      complains(of({read(held(1, 10, 50, 3)), read(held(1, 60, 61, 4) + held(2, 40, 41, 5), "b")}),
                "two holders") == false);
  BOOST_TEST(complains(of({read(held(1, 10, 50, 3) + held(2, 40, 41, 4))}), "two holders"));
}

BOOST_AUTO_TEST_CASE(hold_is_over_at_valid_until) {
  BOOST_TEST(is_content(of({read(held(1, 10, 40, 3, "20")), read(held(1, 20, 30, 4), "b")})));
}

BOOST_AUTO_TEST_CASE(later_valid_until_extends_the_hold) {
  const auto first = "A 1 1 /l x 1 -1\nG 10 1 3 0 20 7 /l/3\nV 15 1 25\n";
  auto killed = read(first);
  killed.killed = true;
  BOOST_TEST(complains(of({killed, read(held(1, 24, 30, 4), "b")}), "two holders"));
  BOOST_TEST(is_content(of({killed, read(held(1, 25, 30, 4), "b")})));
}

BOOST_AUTO_TEST_CASE(hold_is_over_at_its_limit) {
  const auto first = "A 1 1 /l x 1 -1\nG 10 1 3 0 99 7 /l/3\nT 10 1 20\nL 28 1 23\n";
  BOOST_TEST(is_content(of({read(first), read(held(1, 20, 30, 4), "b")})));
  BOOST_TEST(complains(of({read(first), read(held(1, 19, 30, 4), "b")}), "two holders"));
}

BOOST_AUTO_TEST_CASE(hold_is_over_when_its_znode_is_deleted_by_hand) {
  auto all = of({read(held(1, 10, 40, 3)), read(held(1, 20, 30, 4), "b")});
  all.by_hand.deleted["/l/3"] = 19;
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(hold_of_permits_is_over_when_one_of_them_is_deleted_by_hand) {
  const std::string entry = "/_c_00000000-0000-4000-8000-00000000000";
  const auto three = "A 1 1 /l p 3 -1\nG 10 1 3 0 99 7 /l/leases" + entry +
                     "1-lease-0000000000\nR 40 1 99\nD 41 1 0\n";
  auto all = of({read(three), read(held(1, 20, 30, 4, "99", "/l p 1 -1"), "b")});
  all.by_hand.deleted["/l/leases" + entry + "2-lease-0000000000"] = 19;
  all.by_hand.deleted["/l/locks" + entry + "1-lock-0000000003"] = 15;
  BOOST_TEST(complains(all, "too many permits"));
  all.by_hand.deleted["/l/leases" + entry + "1-lease-0000000002"] = 19;
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(hold_is_over_when_the_znode_that_it_got_as_a_reader_is_deleted_by_hand) {
  const std::string entry = "/l/_c_00000000-0000-4000-8000-000000000001";
  const auto writer = "A 1 1 /l x 1 -1\nG 10 1 3 0 99 7 " + entry +
                      "__WRIT__0000000003\nw 12 1\nW 14 1\nR 50 1 99\nD 51 1 0\n";
  auto all = of({read(writer), read(held(1, 30, 60, 4), "b")});
  BOOST_TEST(complains(all, "two holders"));
  all.by_hand.deleted[entry + "__READ__0000000003"] = 20;
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(hold_is_over_when_its_session_is_ended_by_hand) {
  auto all = of({read(held(1, 10, 40, 3))});
  all.histories.push_back(read("A 1 1 /l x 1 -1\nG 20 1 4 0 99 8 /l/4\nR 30 1 99\nD 31 1 0\n"));
  BOOST_TEST(complains(all, "two holders"));
  all.by_hand.expired[7] = 19;
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(hold_of_kazoo_counts_from_its_first_write_to_its_last_one) {
  const auto overlaps = [](int begin, int end) {
    const auto kazoo =
        read("A 1 1 /l x 1 -1\nG 20 1 4 0 - 7 /l/4\nV 45 1 40\nR 50 1 -\nD 51 1 0\n");
    const bool first = begin < 20;
    return complains(of({kazoo, read(held(1, begin, end, first ? 3 : 5), "b")}), "two holders");
  };
  BOOST_TEST(!overlaps(10, 20));
  BOOST_TEST(overlaps(10, 21));
  BOOST_TEST(overlaps(39, 60));
  BOOST_TEST(!overlaps(40, 60));
}

BOOST_AUTO_TEST_CASE(hold_of_kazoo_without_a_last_write_makes_no_claim) {
  const auto all = of({read(held(1, 10, 40, 3, "-")), read(held(1, 20, 30, 4), "b")});
  BOOST_TEST(is_content(all));
  BOOST_TEST(check(all).without_claim == 1u);
}

BOOST_AUTO_TEST_CASE(hold_of_a_body_counts_until_the_body_ends) {
  const auto body = "A 1 1 /l x 1 -1\nG 10 1 3 0 20 7 /l/3\nB 11 1 0\nR 40 1 20\nD 41 1 0\n";
  auto all = of({read(body), read(held(1, 30, 50, 4), "b")});
  BOOST_TEST(complains(all, "two holders"));
  all.paused["a"] = {{5, 6}};
  BOOST_TEST(is_content(all));
  all.paused.clear();
  all.by_hand.deleted["/l/3"] = 29;
  BOOST_TEST(is_content(all));
}

BOOST_AUTO_TEST_CASE(readers_overlap_with_readers_but_not_with_writers) {
  const std::string reader = "/l s 1 -1";
  const auto readers = held(1, 10, 40, 3, "99", reader) + held(2, 20, 30, 4, "99", reader);
  BOOST_TEST(is_content(of({read(readers)})));
  BOOST_TEST(complains(of({read(readers + held(3, 35, 50, 5))}), "two holders"));
  BOOST_TEST(complains(of({read(readers), read(held(3, 5, 15, 2), "b")}), "two holders"));
}

BOOST_AUTO_TEST_CASE(writer_that_became_a_reader_lets_readers_in) {
  const auto writer =
      "A 1 1 /l x 1 -1\nG 10 1 3 0 99 7 /l/3\nw 20 1\nW 22 1\nR 50 1 99\nD 51 1 0\n";
  const std::string reader = "/l s 1 -1";
  BOOST_TEST(is_content(of({read(writer), read(held(1, 21, 40, 4, "99", reader), "b")})));
  BOOST_TEST(
      complains(of({read(writer), read(held(1, 19, 40, 4, "99", reader), "b")}), "two holders"));
  BOOST_TEST(complains(of({read(writer), read(held(1, 45, 60, 4), "b")}), "two holders"));
}

BOOST_AUTO_TEST_CASE(permits_beyond_the_limit_are_found) {
  const auto two = held(1, 10, 40, 3, "99", "/l p 2 -1");
  BOOST_TEST(is_content(of({read(two + held(2, 20, 30, 4, "99", "/l p 1 -1"))})));
  BOOST_TEST(
      complains(of({read(two + held(2, 20, 30, 4, "99", "/l p 2 -1"))}), "too many permits"));
}

BOOST_AUTO_TEST_CASE(tokens_that_fall_or_repeat_are_found) {
  BOOST_TEST(
      complains(of({read(held(1, 10, 20, 4)), read(held(1, 20, 30, 3), "b")}), "a token falls"));
  BOOST_TEST(
      complains(of({read(held(1, 10, 20, 4)), read(held(1, 20, 30, 4), "b")}), "a token falls"));
}

// It is granted by an entry that was there before. No writer can have held meanwhile.
BOOST_AUTO_TEST_CASE(token_of_a_reader_by_a_cached_entry_may_be_lower_than_that_of_a_reader) {
  const auto after = [](std::string_view before, int turn) {
    const auto lock = "/l " + std::string(before) + " 1 -1";
    const auto later =
        "A 25 1 /l s 1 -1\nG 30 1 3 " + std::to_string(turn) + " 99 7 /l/3\nR 40 1 99\nD 41 1 0\n";
    return of({read(held(1, 10, 20, 4, "99", lock)), read(later, "b")});
  };
  BOOST_TEST(is_content(after("s", 1)));
  BOOST_TEST(complains(after("s", 0), "a token falls"));
  BOOST_TEST(complains(after("x", 1), "a token falls"));
}

BOOST_AUTO_TEST_CASE(token_of_permits_asked_for_after_a_hold_must_be_higher) {
  const auto first = held(1, 10, 20, 4, "99", "/l p 1 -1");
  const auto later = "A 25 2 /l p 1 -1\nG 30 2 3 0 99 7 /l/3\nR 40 2 99\nD 41 2 0\n";
  BOOST_TEST(complains(of({read(first + later)}), "a token falls"));
  BOOST_TEST(is_content(of({read(first + held(2, 30, 40, 3, "99", "/l p 1 -1"))})));
}

BOOST_AUTO_TEST_SUITE_END()
