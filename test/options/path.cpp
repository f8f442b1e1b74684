#include <zklock/error.hpp>

#include "client/lock_definition.hpp"
#include "client/node_path.hpp"
#include "zookeeper/path_check.hpp"

#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

namespace zklock::test {

using namespace std::string_literals;
using boost::system::system_error;

namespace {

void check_refused(const std::string& path, const std::string& fault) {
  BOOST_TEST_CONTEXT(path) {
    BOOST_CHECK_EXCEPTION(detail::make_lock_definition("", path), system_error,
                          [&](const system_error& error) {
                            return error.code() == errc::bad_path &&
                                   std::string(error.what()).find(fault) != std::string::npos;
                          });
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(path, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(valid_lock_path_is_accepted) {
  BOOST_TEST(detail::make_lock_definition("", "/a").full == "/a");
  BOOST_TEST(detail::make_lock_definition("/app", "/locks/order 7").full == "/app/locks/order 7");
  BOOST_TEST(detail::make_lock_definition("/app", "/a").given == "/a");
  BOOST_TEST(detail::make_lock_definition("", "/caf\xc3\xa9/...").full == "/caf\xc3\xa9/...");
}

BOOST_AUTO_TEST_CASE(bad_lock_path_is_refused_with_its_fault) {
  check_refused("", "invalid path \"\": must not be empty");
  check_refused("locks", "invalid path \"locks\": must start with '/'");
  check_refused("/", "must not be the root");
  check_refused("/a/", "must not end with '/'");
  check_refused("/a//b", "have an empty name");
  check_refused("/a/./b", "must not have the name '.' or '..'");
  check_refused("/..", "must not have the name '.' or '..'");
  check_refused("/a\0b"s, "\"/a\\x00b\": must not have a character");
  check_refused("/a\x1f", "must not have a character");
  check_refused("/a\xc2\x85", "must not have a character");
  check_refused("/a\xef\xbf\xbf", "must not have a character");
  check_refused("/a\xf0\x9f\x94\x92", "must not have a character");
  check_refused("/a\xff", "must be UTF-8");
  check_refused("/a\xc0\xaf", "must be UTF-8");
  check_refused("/a\xed\xa0\x80", "must be UTF-8");
  check_refused("/a\xe2\x82", "must be UTF-8");
  check_refused("/" + std::string(2000, 'x'), "must not be longer than 2000 bytes");
  BOOST_TEST(detail::make_lock_definition("", "/" + std::string(1999, 'x')).full.size() == 2000u);
}

BOOST_AUTO_TEST_CASE(malformed_utf8_is_refused) {
  for (const auto& bad : {
           "\xff"s, "\x80"s,                                               // no first byte
           "\xc0\xaf"s, "\xc1\xbf"s, "\xe0\x9f\xbf"s, "\xf0\x8f\xbf\xbf"s, // longer than needed
           "\xed\xa0\x80"s, "\xed\xbf\xbf"s,                               // surrogates
           "\xf4\x90\x80\x80"s, "\xf5\x80\x80\x80"s,                       // beyond U+10FFFF
           "\xf8\x88\x80\x80\x80"s,                                        // five bytes
           "\xc2"s, "\xe2\x82"s, "\xf0\x9f\x94"s, "\xe2\x82/b"s,           // cut short
       }) {
    check_refused("/a" + bad, "must be UTF-8");
    BOOST_TEST(!zookeeper::is_utf8(bad));
  }
}

// The first and the last code point of each length, and the code points around the surrogates.
BOOST_AUTO_TEST_CASE(well_formed_utf8_is_known) {
  for (const auto& good : {""s, "\0\x7f"s, "\xc2\x80\xdf\xbf"s, "\xe0\xa0\x80\xef\xbf\xbf"s,
                           "\xed\x9f\xbf\xee\x80\x80"s, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"s})
    BOOST_TEST(zookeeper::is_utf8(good));
}

// A node's path may be longer than a lock's, and may be the root.
BOOST_AUTO_TEST_CASE(node_path_is_valid_where_zookeeper_accepts_it) {
  for (const auto& good : {"/"s, "/a"s, "/a/..."s, "/" + std::string(5000, 'x')})
    BOOST_TEST(detail::is_node_path(good));
  for (const auto& bad :
       {""s, "a"s, "//"s, "/a/"s, "/a//b"s, "/."s, "/a/../b"s, "/a\0b"s, "/\xff"s})
    BOOST_TEST(!detail::is_node_path(bad));
}

BOOST_AUTO_TEST_CASE(entry_path_has_directory_token_and_id) {
  const queue::session_token token{0x123456789abc0def};
  std::string path;
  detail::append_entry_path(path, "/a", token, 7, "-lock-", 42);
  BOOST_TEST(path == "/a/_c_12345678-9abc-8def-8000-000000000007-lock-0000000042");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
