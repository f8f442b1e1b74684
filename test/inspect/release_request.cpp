#include "client/release_request.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace zklock::test {

using detail::compose_release_request;
using detail::parse_release_request;

BOOST_AUTO_TEST_SUITE(release_request, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(composed_request_is_parsed) {
  const auto data = compose_release_request("asker", "holder");
  BOOST_TEST(data == "__REVOKE__\nasker\nholder");
  const auto request = parse_release_request(data);
  BOOST_TEST_REQUIRE(request.has_value());
  BOOST_TEST(request->requester == "asker");
  BOOST_TEST(request->identity == "holder");
}

BOOST_AUTO_TEST_CASE(multiline_identities_survive_a_round_trip) {
  const auto request = parse_release_request(compose_release_request("a\nb", "c\nd\n"));
  BOOST_TEST_REQUIRE(request.has_value());
  BOOST_TEST(request->requester == "a b");
  BOOST_TEST(request->identity == "c\nd\n");
}

BOOST_AUTO_TEST_CASE(request_of_curator_has_empty_identities) {
  for (const char* data : {"__REVOKE__", "__REVOKE__\n", "__REVOKE__\n\n"}) {
    const auto request = parse_release_request(data);
    BOOST_TEST_REQUIRE(request.has_value());
    BOOST_TEST(request->requester == "");
    BOOST_TEST(request->identity == "");
  }
}

BOOST_AUTO_TEST_CASE(other_data_is_not_parsed_as_a_request) {
  for (const char* data : {"", "__REVOKE", "__REVOKE__D", "x__REVOKE__", " __REVOKE__"})
    BOOST_TEST(!parse_release_request(data).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
