#include <zklock/error.hpp>

#include "client/lock_definition.hpp"

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
  check_refused("", "\"\" is empty");
  check_refused("locks", "\"locks\" is not absolute");
  check_refused("/", "is the root");
  check_refused("/a/", "ends in a slash");
  check_refused("/a//b", "empty name");
  check_refused("/a/./b", "relative name");
  check_refused("/..", "relative name");
  check_refused("/a\0b"s, "\"/a\\x00b\" has a character");
  check_refused("/a\x1f", "has a character");
  check_refused("/a\xc2\x85", "has a character");
  check_refused("/a\xef\xbf\xbf", "has a character");
  check_refused("/a\xf0\x9f\x94\x92", "has a character");
  check_refused("/a\xff", "is not UTF-8");
  check_refused("/a\xc0\xaf", "is not UTF-8");
  check_refused("/a\xed\xa0\x80", "is not UTF-8");
  check_refused("/a\xe2\x82", "is not UTF-8");
  check_refused("/" + std::string(2000, 'x'), "is longer than 2000 bytes");
  BOOST_TEST(detail::make_lock_definition("", "/" + std::string(1999, 'x')).full.size() == 2000u);
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
