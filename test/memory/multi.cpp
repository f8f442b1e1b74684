#include "memory/tree.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test::memory;

namespace {

create_request creation(const std::string& path, std::int32_t flags = 0) {
  create_request request;
  request.kind = operation::create2;
  request.path = path;
  request.data = "";
  request.acl = {open_access()};
  request.flags = flags;
  return request;
}

std::vector<part_result> parts_of(const outcome& result) {
  BOOST_TEST(result.error == code::ok);
  return std::get<multi_reply>(result.body).parts;
}

} // namespace

BOOST_AUTO_TEST_SUITE(memory_multi, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(part_sees_the_changes_of_those_before_it) {
  tree t;
  outcome result =
      t.apply(multi_request{{creation("/a"), creation("/a/n-", 2), set_data_request{"/a", "x", 0},
                             check_request{"/a", 1}, remove_request{"/a/n-0000000000", 0}}});
  const auto parts = parts_of(result);
  BOOST_TEST_REQUIRE(parts.size() == 5U);
  BOOST_TEST(std::get<created_reply>(parts[1].body).path == "/a/n-0000000000");
  BOOST_TEST(std::get<stat_reply>(parts[2].body).stat.version == 1);
  BOOST_CHECK(parts[3].kind == operation::check);
  BOOST_CHECK(parts[4].kind == operation::remove);
  BOOST_TEST(text_of(result.events) ==
             "created /a, children /, created /a/n-0000000000, children /a, changed /a, "
             "deleted /a/n-0000000000, children /a");
  BOOST_TEST(t.stat("/a").czxid == t.stat("/a").mzxid);
}

BOOST_AUTO_TEST_CASE(failure_undoes_all_and_names_its_part) {
  tree t;
  outcome result = t.apply(
      multi_request{{creation("/a"), creation("/a/b"), remove_request{"/a", -1}, creation("/c")}});
  const auto parts = parts_of(result);
  BOOST_TEST(parts[0].error == code::ok);
  BOOST_TEST(parts[1].error == code::ok);
  BOOST_TEST(parts[2].error == code::not_empty);
  BOOST_TEST(parts[3].error == code::runtime_inconsistency);
  for (const auto& part : parts)
    BOOST_CHECK(part.kind == operation::unknown);
  BOOST_TEST(result.events.empty());
  BOOST_TEST(!t.nodes.find("/a"));
  BOOST_TEST(path_of(t.create("/n-", 2)) == "/n-0000000000");
}

BOOST_AUTO_TEST_CASE(deleted_node_can_be_created_again) {
  tree t;
  t.create("/a");
  const auto parts = parts_of(t.apply(
      multi_request{{set_data_request{"/a", "x", 0}, remove_request{"/a", 1}, creation("/a")}}));
  BOOST_TEST(std::get<created_reply>(parts[2].body).stat.version == 0);
  BOOST_TEST(t.stat("/a").czxid == t.zxid);
}

BOOST_AUTO_TEST_SUITE_END()
