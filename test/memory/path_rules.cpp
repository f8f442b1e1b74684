#include "testing/memory/path_rules.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock::testing::memory;
using namespace std::literals;

BOOST_AUTO_TEST_SUITE(memory_path_rules, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(valid_paths) {
  for (auto path : {"/"sv, "/a"sv, "/a/b"sv, "/..a"sv, "/\u00e9\u20ac"sv, "/ "sv})
    BOOST_TEST(is_valid_path(path), path);
}

BOOST_AUTO_TEST_CASE(invalid_paths) {
  for (auto path : {""sv, "a"sv, "/a/"sv, "//"sv, "/a//b"sv, "/a/./b"sv, "/a/.."sv, "/a\0b"sv,
                    "/\x01"sv, "/\u0080"sv, "/\uf000"sv, "/\U0001F600"sv, "/\xFF"sv, "/\xC3"sv})
    BOOST_TEST(!is_valid_path(path), path);
}

BOOST_AUTO_TEST_CASE(parents) {
  BOOST_TEST(parent_of("/a") == "/");
  BOOST_TEST(parent_of("/a/b") == "/a");
  BOOST_TEST(!has_parent("a"));
}

BOOST_AUTO_TEST_SUITE_END()
