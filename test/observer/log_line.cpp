// The fields of the lines of a log.
#include "support/log_line.hpp"

#include "support/captured_output.hpp"
#include "support/default_log.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <limits>
#include <string>

using zklock::detail::log_line;
using zklock::detail::log_to_standard_error;
using zklock::detail::utc_text;

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
  // A character that changes the order of the text behind it, and bytes that are no UTF-8.
  BOOST_TEST(with_field("\xe2\x80\xae") == "event key=\"\\xe2\\x80\\xae\"");
  BOOST_TEST(with_field("\xc2") == "event key=\"\\xc2\"");
  BOOST_TEST(with_field("\x9b"
                        "2J") == "event key=\"\\x9b2J\"");
}

BOOST_AUTO_TEST_CASE(text_beyond_ascii_is_quoted_and_kept) {
  BOOST_TEST(with_field("schl\xc3\xb6sser") == "event key=\"schl\xc3\xb6sser\"");
}

BOOST_AUTO_TEST_CASE(default_line_has_the_time_in_utc) {
  using namespace std::chrono;
  const sys_days day = year(2026) / February / 3;
  BOOST_TEST(utc_text(day + 4h + 5min + 6s + 7ms + 999us) == "2026-02-03T04:05:06.007Z");
  BOOST_TEST(utc_text(day - 1ms) == "2026-02-02T23:59:59.999Z");
}

BOOST_AUTO_TEST_CASE(default_line_names_the_client) {
  zklock::test::captured_output output;
  log_to_standard_error(zklock::log_level::info, "nothing", "till 1");
  log_to_standard_error(zklock::log_level::warning, "lost path=/a", "till 1");
  log_to_standard_error(zklock::log_level::error, "lost path=/b", "till2");
  output.restore();
  auto text = output.text();
  const auto size = utc_text({}).size();
  const auto end = text.find('\n');
  BOOST_REQUIRE(end != text.npos);
  BOOST_TEST(text.substr(size, end - size) == " zklock: warning: lost path=/a client=\"till 1\"");
  text.erase(0, end + 1);
  BOOST_REQUIRE(text.size() > size);
  BOOST_TEST(text.substr(size) == " zklock: error: lost path=/b client=till2\n");
}

BOOST_AUTO_TEST_SUITE_END()
