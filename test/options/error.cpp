#include <zklock/error.hpp>

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

namespace zklock::test {

namespace generic = boost::system::errc;

BOOST_AUTO_TEST_SUITE(error, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(each_code_is_a_failure_with_its_own_text) {
  std::set<std::string> texts;
  for (int value = 1; value <= static_cast<int>(errc::bad_lock_list); ++value) {
    const error_code code = static_cast<errc>(value);
    BOOST_TEST(code.failed());
    BOOST_TEST(code.message().find("unknown") == std::string::npos);
    texts.insert(code.message());
  }
  BOOST_TEST(texts.size() == static_cast<std::size_t>(errc::bad_lock_list));
  BOOST_TEST(error_code(errc::busy).category().name() == "zklock");
}

BOOST_AUTO_TEST_CASE(code_equals_its_generic_conditions) {
  BOOST_TEST((error_code(errc::timed_out) == generic::timed_out));
  BOOST_TEST((error_code(errc::not_connected) == generic::timed_out));
  BOOST_TEST((error_code(errc::not_connected) == generic::not_connected));
  BOOST_TEST((error_code(errc::not_zookeeper) == generic::not_connected));
  BOOST_TEST((error_code(errc::busy) == generic::resource_unavailable_try_again));
  BOOST_TEST((error_code(errc::no_permission) == generic::permission_denied));
  BOOST_TEST((error_code(errc::closed) != generic::timed_out));
  BOOST_TEST((error_code(errc::timed_out) != errc::not_connected));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
