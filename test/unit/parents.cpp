#include "client/parents.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

namespace zklock::test {

using zookeeper::status;

namespace {

// Answers as a server that has these directories. Returns the paths requested, in order.
std::vector<std::string> ask(detail::parents& parents, std::set<std::string> existing) {
  std::vector<std::string> asked;
  for (;;) {
    const auto path = parents.next();
    asked.push_back(path);
    const auto above = path.substr(0, path.rfind('/'));
    status result = status::ok;
    if (!existing.contains(above))
      result = status::no_node;
    else if (!existing.insert(path).second)
      result = status::node_exists;
    if (!parents.answered(result)) return asked;
  }
}

using paths = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(parents, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(lowest_directory_is_created_first) {
  detail::parents parents("/a/b/c", 0);
  BOOST_TEST(ask(parents, {"", "/a", "/a/b"}) == paths{"/a/b/c"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(missing_parents_are_created_from_the_top_down) {
  detail::parents parents("/a/b/c", 0);
  const paths expected{"/a/b/c", "/a/b", "/a", "/a/b", "/a/b/c"};
  BOOST_TEST(ask(parents, {""}) == expected, boost::test_tools::per_element());
  parents.restart();
  BOOST_TEST(parents.next() == "/a/b/c");
}

BOOST_AUTO_TEST_CASE(creation_stops_below_the_chroot) {
  detail::parents parents("/root/a/b", 5);
  const paths expected{"/root/a/b", "/root/a"};
  BOOST_TEST(ask(parents, {""}) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(parent_deleted_meanwhile_is_made_again) {
  detail::parents parents("/a/b", 0);
  BOOST_TEST(parents.answered(status::no_node));
  BOOST_TEST(parents.next() == "/a");
  BOOST_TEST(parents.answered(status::node_exists));
  BOOST_TEST(parents.next() == "/a/b");
  BOOST_TEST(parents.answered(status::no_node));
  BOOST_TEST(parents.next() == "/a");
  BOOST_TEST(parents.answered(status::ok));
  BOOST_TEST(parents.answered(status::ok) == false);
}

BOOST_AUTO_TEST_CASE(creation_stops_at_a_refusal) {
  detail::parents parents("/a/b", 0);
  BOOST_TEST(parents.answered(status::no_node));
  BOOST_TEST(!parents.answered(status::no_permission));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
