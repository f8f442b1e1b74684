// The fields of the lines of a log.
#include "log_line.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>

using zklock::detail::log_line;

namespace {

std::string with_field(std::string_view value) {
  return log_line("event").field("key", value).take();
}

} // namespace

BOOST_AUTO_TEST_SUITE(log_lines)

BOOST_AUTO_TEST_CASE(plain_value_is_not_quoted) {
  BOOST_TEST(with_field("/locks/a-1_b.c") == "event key=/locks/a-1_b.c");
}

BOOST_AUTO_TEST_CASE(fields_follow_the_sentence_in_their_order) {
  const auto line = log_line("an event").field("a", "1").session(0x1f).field("b", "2").take();
  BOOST_TEST(line == "an event a=1 session=0x1f b=2");
}

BOOST_AUTO_TEST_CASE(negative_session_is_printed_as_servers_do) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  BOOST_TEST(log_line("x").session(lowest).take() == "x session=0x8000000000000000");
}

BOOST_AUTO_TEST_CASE(value_that_could_end_its_field_is_quoted) {
  BOOST_TEST(with_field("") == "event key=\"\"");
  BOOST_TEST(with_field("a b") == "event key=\"a b\"");
  BOOST_TEST(with_field("a=b") == "event key=\"a=b\"");
  BOOST_TEST(with_field("a\"b") == "event key=\"a\\\"b\"");
  BOOST_TEST(with_field("a\\b") == "event key=\"a\\\\b\"");
}

BOOST_AUTO_TEST_CASE(value_cannot_forge_a_line) {
  BOOST_TEST(with_field("a\nlost a lock") == "event key=\"a\\nlost a lock\"");
  BOOST_TEST(with_field("a\rb") == "event key=\"a\\x0db\"");
  BOOST_TEST(with_field(std::string_view("\0", 1)) == "event key=\"\\x00\"");
  BOOST_TEST(with_field("\x1b[2J") == "event key=\"\\x1b[2J\"");
  BOOST_TEST(with_field("\x7f") == "event key=\"\\x7f\"");
  // NEL, CSI, LINE SEPARATOR and PARAGRAPH SEPARATOR.
  BOOST_TEST(with_field("\xc2\x85") == "event key=\"\\xc2\\x85\"");
  BOOST_TEST(with_field("\xc2\x9b"
                        "2J") == "event key=\"\\xc2\\x9b2J\"");
  BOOST_TEST(with_field("\xe2\x80\xa8") == "event key=\"\\xe2\\x80\\xa8\"");
  BOOST_TEST(with_field("\xe2\x80\xa9") == "event key=\"\\xe2\\x80\\xa9\"");
  // What changes the order of the text that follows, and what is no UTF-8.
  BOOST_TEST(with_field("\xe2\x80\xae") == "event key=\"\\xe2\\x80\\xae\"");
  BOOST_TEST(with_field("\xc2") == "event key=\"\\xc2\"");
  BOOST_TEST(with_field("\x9b"
                        "2J") == "event key=\"\\x9b2J\"");
}

BOOST_AUTO_TEST_CASE(text_beyond_ascii_is_quoted_and_kept) {
  BOOST_TEST(with_field("schl\xc3\xb6sser") == "event key=\"schl\xc3\xb6sser\"");
}

BOOST_AUTO_TEST_SUITE_END()
