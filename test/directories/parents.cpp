#include "client/parents.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace zklock::test {

using zookeeper::status;

namespace {

// Replies as a server that has the directories `existing`. Returns the requested paths, in order.
std::vector<std::string> ask(const std::string& path, std::size_t chroot_length,
                             std::set<std::string> existing) {
  std::vector<std::string> asked;
  std::string next = path;
  while (!next.empty()) {
    asked.push_back(next);
    const auto above = next.substr(0, next.rfind('/'));
    status result = status::ok;
    if (!existing.contains(above))
      result = status::no_node;
    else if (!existing.insert(next).second)
      result = status::node_exists;
    next = detail::next_directory(path, chroot_length, next, result);
  }
  return asked;
}

using paths = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(parents, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(lowest_directory_is_created_first) {
  BOOST_TEST(ask("/a/b/c", 0, {"", "/a", "/a/b"}) == paths{"/a/b/c"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(missing_parents_are_created_from_the_top_down) {
  const paths expected{"/a/b/c", "/a/b", "/a", "/a/b", "/a/b/c"};
  BOOST_TEST(ask("/a/b/c", 0, {""}) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(creation_stops_below_the_chroot) {
  const paths expected{"/root/a/b", "/root/a"};
  BOOST_TEST(ask("/root/a/b", 5, {""}) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(parent_deleted_meanwhile_is_made_again) {
  BOOST_TEST(detail::next_directory("/a/b", 0, "/a/b", status::no_node) == "/a");
  BOOST_TEST(detail::next_directory("/a/b", 0, "/a", status::node_exists) == "/a/b");
  BOOST_TEST(detail::next_directory("/a/b", 0, "/a/b", status::no_node) == "/a");
  BOOST_TEST(detail::next_directory("/a/b", 0, "/a", status::ok) == "/a/b");
  BOOST_TEST(detail::next_directory("/a/b", 0, "/a/b", status::ok).empty());
}

BOOST_AUTO_TEST_CASE(creation_stops_at_a_refusal) {
  BOOST_TEST(detail::next_directory("/a/b", 0, "/a/b", status::no_node) == "/a");
  BOOST_TEST(detail::next_directory("/a/b", 0, "/a", status::no_permission).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
