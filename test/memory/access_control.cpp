#include "testing/memory/access_control.hpp"

#include "memory/tree.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test::memory;

BOOST_AUTO_TEST_SUITE(memory_access_control, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(digest_is_that_of_zookeeper) {
  // From ZooKeeper's administrator's guide.
  const auto super = authenticate("digest", "super:admin", "127.0.0.1");
  BOOST_TEST_REQUIRE(super.has_value());
  BOOST_TEST(super->id == "super:xQJmxLMiHGwaqBvst5y6rkB6HQs=");
  BOOST_TEST(!authenticate("unknown", "x", "127.0.0.1").has_value());
}

BOOST_AUTO_TEST_CASE(node_is_refused_without_its_identity) {
  tree t;
  t.identities.push_back(*authenticate("digest", "ann:secret", "127.0.0.1"));
  BOOST_TEST(t.create("/a", 0, {zklock::testing::creator_access()}).error == code::ok);
  t.identities.pop_back();
  BOOST_TEST(t.create("/a/b").error == code::no_auth);
  BOOST_TEST(t.apply(set_data_request{"/a", "", -1}).error == code::no_auth);
  BOOST_TEST(t.apply(set_acl_request{"/a", {open_access()}, -1}).error == code::no_auth);
  BOOST_TEST(t.nodes.read(get_data_request{"/a", false}, {session, t.identities}).error ==
             code::no_auth);
  BOOST_TEST(t.nodes.read(exists_request{"/a", false}, {session, t.identities}).error == code::ok);
  // The parent's access list decides on deletes.
  BOOST_TEST(t.remove("/a").error == code::ok);
  BOOST_TEST(t.create("/b", 0, {zklock::testing::creator_access()}).error == code::invalid_acl);
}

BOOST_AUTO_TEST_CASE(address_is_compared_by_its_first_bits) {
  const std::vector<identity> client{{"ip", "127.0.0.1"}};
  BOOST_TEST(is_permitted({{1, "ip", "127.0.0.1"}}, can_read, client));
  BOOST_TEST(is_permitted({{1, "ip", "127.0.0.0/24"}}, can_read, client));
  BOOST_TEST(!is_permitted({{1, "ip", "127.0.0.2/31"}}, can_read, client));
  BOOST_TEST(!is_permitted({{1, "ip", "127.0.0.1"}}, can_write, client));
  BOOST_TEST(stored_list({{1, "ip", "127.0.0.1/33"}}, client).has_value() == false);
}

BOOST_AUTO_TEST_CASE(list_is_shown_without_digests_to_readers) {
  tree t;
  t.create("/a", 0, {{1, "world", "anyone"}, {31, "digest", "ann:abc"}});
  const auto reply =
      std::get<acl_reply>(t.nodes.read(get_acl_request{"/a"}, {session, t.identities}).body);
  BOOST_TEST(reply.acl[1].id == "ann:x");
}

BOOST_AUTO_TEST_SUITE_END()
