// Names of entries: our own, and the names of all other libraries with which locks are shared.

#include "queue/entry_name.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::queue {

BOOST_AUTO_TEST_SUITE(queue_entry_name, *boost::unit_test::timeout(30))

namespace {

sequence number_of(std::string_view name) {
  const auto parsed = parse_entry_name(name);
  BOOST_TEST_REQUIRE(parsed.has_value(), name);
  return parsed->number;
}

bool is_shared(std::string_view name) {
  const auto parsed = parse_entry_name(name);
  BOOST_TEST_REQUIRE(parsed.has_value(), name);
  return parsed->wants == role::shared;
}

} // namespace

BOOST_AUTO_TEST_CASE(ours_come_back_as_they_went) {
  constexpr session_token tokens[] = {{0}, {1}, {0x0123456789ab0def}, {~std::uint64_t{0xf000}}};
  constexpr entry_id ids[] = {0, 1, 0x0123456789abcdef, (entry_id{1} << 62) - 1};
  for (const auto token : tokens)
    for (const auto id : ids)
      for (const sequence number : {sequence{0}, sequence{42}, last_number}) {
        std::string name;
        append_prefix(name, token, id, "-lock-");
        append_number(name, number);
        const auto parsed = parse_entry_name(name);
        BOOST_TEST_REQUIRE(parsed.has_value(), name);
        BOOST_TEST(parsed->has_id);
        BOOST_TEST((parsed->token == token));
        BOOST_TEST(parsed->id == id);
        BOOST_TEST(parsed->number == number);
        BOOST_TEST((parsed->wants == role::exclusive));
      }
}

BOOST_AUTO_TEST_CASE(those_of_zklock_are_told_from_others) {
  std::string name;
  append_prefix(name, {0x0123456789ab0def}, 7, "-lock-");
  append_number(name, 3);
  BOOST_TEST(is_of_zklock(name));
  name.clear();
  append_permit(name, {1}, 7, 12);
  BOOST_TEST(is_of_zklock(name));
  BOOST_TEST(trailing_number(name) == 12);
  // Curator's uuids are of version 4.
  BOOST_TEST(!is_of_zklock("_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-0000000000"));
  BOOST_TEST(!is_of_zklock("x-lock-0000000000"));
  BOOST_TEST(trailing_number("lease") == -1);
  BOOST_TEST(trailing_number("lease-000000001x") == -1);
}

BOOST_AUTO_TEST_CASE(ours_look_like_those_of_curator) {
  std::string name;
  append_prefix(name, {0x0123456789ab0def}, 5, "-lock-");
  append_number(name, 17);
  BOOST_TEST(name == "_c_01234567-89ab-8def-8000-000000000005-lock-0000000017");
}

BOOST_AUTO_TEST_CASE(numbers_have_ten_digits_at_least) {
  std::string text;
  append_number(text, 0);
  text += ' ';
  append_number(text, 2147483647);
  text += ' ';
  append_number(text, 12345678901);
  BOOST_TEST(text == "0000000000 2147483647 12345678901");
}

BOOST_AUTO_TEST_CASE(negative_numbers_are_written_as_the_servers_write_them) {
  for (const sequence number : std::vector<sequence>{-1, -7, -2147483647}) {
    std::string name = "5f3c1b1a6f0e4b6ea1fb2b8b1c9d0e1f__lock__";
    append_number(name, number);
    BOOST_TEST(number_of(name) == number, name);
  }
  std::string text;
  append_number(text, -7);
  text += ' ';
  append_number(text, -2147483648);
  BOOST_TEST(text == "-000000007 -2147483648");
}

BOOST_AUTO_TEST_CASE(entries_of_all_clients_are_known) {
  for (const std::string_view name : {
           "_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-lock-0000000042", // Curator
           "_c_5f3c1b1a6f0e4b6ea1fb2b8b1c9d0e1f-lock-0000000042",     // go-zookeeper
           "5f3c1b1a6f0e4b6ea1fb2b8b1c9d0e1f__lock__0000000042",      // kazoo
           "5f3c1b1a6f0e4b6ea1fb2b8b1c9d0e1f-lock-0000000042",        // kazoo, told to share
           "x-72057594037927936-0000000042",                          // ZooKeeper's, in Java
           "x-0100000000000000-0000000042",                           // ZooKeeper's, in C
           "lock-0000000042",
       }) {
    BOOST_TEST(number_of(name) == 42, name);
    BOOST_TEST(!is_shared(name), name);
    BOOST_TEST(!parse_entry_name(name)->has_id, name);
  }
}

BOOST_AUTO_TEST_CASE(readers_and_writers_are_told_apart) {
  BOOST_TEST(is_shared("_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-__READ__0000000001"));
  BOOST_TEST(!is_shared("_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-__WRIT__0000000001"));
  BOOST_TEST(is_shared("5f3c1b1a6f0e4b6ea1fb2b8b1c9d0e1f__rlock__0000000001"));
  BOOST_TEST(is_shared("_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-rlock-0000000001"));
}

BOOST_AUTO_TEST_CASE(negative_numbers_are_known) {
  BOOST_TEST(number_of("_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-lock--2147483648") == -2147483648);
  BOOST_TEST(number_of("_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-lock--000000001") == -1);
  BOOST_TEST(number_of("5f3c1b1a6f0e4b6ea1fb2b8b1c9d0e1f__lock__-2147483647") == -2147483647);
  BOOST_TEST(number_of("5f3c1b1a6f0e4b6ea1fb2b8b1c9d0e1f__lock__-000000007") == -7);
}

BOOST_AUTO_TEST_CASE(an_id_of_others_is_not_ours) {
  // The version or the variant of the uuid is wrong, or the name has no uuid.
  for (const std::string_view name : {
           "_c_01234567-89ab-4def-8000-000000000005-lock-0000000017",
           "_c_01234567-89ab-8def-c000-000000000005-lock-0000000017",
           "_c_01234567-89ab-8def-0000-000000000005-lock-0000000017",
           "_c_01234567x89ab-8def-8000-000000000005-lock-0000000017",
           "_c_0123456g-89ab-8def-8000-000000000005-lock-0000000017",
           "_d_01234567-89ab-8def-8000-000000000005-lock-0000000017",
       }) {
    const auto parsed = parse_entry_name(name);
    BOOST_TEST_REQUIRE(parsed.has_value(), name);
    BOOST_TEST(!parsed->has_id, name);
    BOOST_TEST(parsed->number == 17, name);
  }
}

BOOST_AUTO_TEST_CASE(other_children_are_no_entries) {
  for (const std::string_view name :
       {"", "config", "0000000042", "lock-", "lock-42", "lock-000000042", "lock-00000000x2",
        "lease-0000000042", "x-0000000042", "x--0000000042x", "y-0100000000000000-0000000042",
        "_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-lock-", "-lock-0000000042-data",
        // Numbers that the servers do not write.
        "x-lock--0000000005", "x__lock__-0000000005", "x-lock--000000000"})
    BOOST_TEST(!parse_entry_name(name).has_value(), name);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::queue
