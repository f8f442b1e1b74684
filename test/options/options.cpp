#include "client/options.hpp"

#include <zklock/client.hpp>
#include <zklock/error.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

namespace zklock::test {

using namespace std::chrono_literals;
using boost::system::system_error;

namespace {

void check_refused(client_options options, errc code, const std::string& text) {
  boost::asio::io_context io;
  BOOST_TEST_CONTEXT(text) {
    BOOST_CHECK_EXCEPTION(
        client(io, std::move(options)), system_error, [&](const system_error& error) {
          BOOST_TEST_INFO(error.what());
          return error.code() == code && std::string(error.what()).find(text) != std::string::npos;
        });
  }
}

const std::string here = "127.0.0.1:2181";

} // namespace

BOOST_AUTO_TEST_SUITE(options, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(bad_option_is_refused_with_its_value) {
  check_refused({.servers = here, .session_timeout = 0ms}, errc::bad_option,
                "invalid session_timeout 0 ms: must be from 1 to");
  check_refused({.servers = here, .session_timeout = 3'000'000'000ms}, errc::bad_option,
                "invalid session_timeout 3000000000 ms");
  check_refused(
      {.servers = here, .session_timeout = 2s}, errc::bad_option,
      "invalid session_timeout 2000 ms: must be at least 4000 ms with a server_tick of 2000 ms");
  check_refused({.servers = here, .session_timeout = 10s, .check_interval = 5s}, errc::bad_option,
                "invalid check_interval 5000 ms: must be at most 3000 ms for a session_timeout of "
                "10000 ms with a server_tick of 2000 ms");
  check_refused({.servers = here, .max_entries_per_lock = 0}, errc::bad_option,
                "invalid max_entries_per_lock 0: must be from 1 to 1000");
  check_refused({.servers = here, .max_entries_per_lock = 1001}, errc::bad_option,
                "invalid max_entries_per_lock 1001");
  check_refused({.servers = here, .local_handoffs = 1'000'001}, errc::bad_option,
                "invalid local_handoffs 1000001: must be from 0 to 1000000");
  check_refused({.servers = here, .lock_cache = lock_cache_options{.idle_limit = 0ms}},
                errc::bad_option, "invalid lock_cache.idle_limit 0 ms: must be from 1 to 15000");
  check_refused({.servers = here, .lock_cache = lock_cache_options{.idle_limit = 15'001ms}},
                errc::bad_option,
                "invalid lock_cache.idle_limit 15001 ms: must be from 1 to 15000");
  check_refused({.servers = here, .max_path_bytes = 1 << 20}, errc::bad_option,
                "invalid max_path_bytes 1048576 bytes");
  check_refused({.servers = here, .check_interval = -1ms}, errc::bad_option,
                "invalid check_interval -1 ms");
  check_refused({.servers = here, .connect_timeout = 0ms}, errc::bad_option,
                "invalid connect_timeout 0 ms");
  check_refused({.servers = here, .identity = "\xff"}, errc::bad_option,
                "invalid identity: must be UTF-8");
  check_refused({.servers = here, .identity = std::string(4097, 'x')}, errc::bad_option,
                "invalid identity of 4097 bytes");
  check_refused({.servers = here, .access = {{.permissions = permission{32}}}}, errc::bad_option,
                "invalid access[0]: the permissions 32");
  check_refused({.servers = here, .credentials = {{.scheme = ""}}}, errc::bad_option,
                "invalid credentials[0]: the scheme must not be empty");
  const std::string mebibyte(1 << 20, 'x');
  check_refused({.servers = here, .credentials = {{.secret = mebibyte}}}, errc::bad_option,
                "invalid credentials[0] of 1048582 bytes: must not be longer than 65536");
  check_refused({.servers = here, .access = {{.scheme = "digest", .id = "user:" + mebibyte}}},
                errc::bad_option, "invalid access of 1048599 bytes: must not be longer than 65536");
}

BOOST_AUTO_TEST_CASE(bad_credential_is_refused_without_its_secret) {
  const credential good{.secret = "till:hidden"};
  const auto refused = [&](const credential& bad, const std::string& why) {
    check_refused({.servers = here, .credentials = {good, bad}}, errc::bad_option,
                  "invalid credentials[1]: " + why);
    try {
      detail::checked_options({.servers = here, .credentials = {good, bad}});
    } catch (const system_error& error) {
      BOOST_TEST(std::string(error.what()).find("hidden") == std::string::npos);
    }
  };
  refused({.secret = ""}, "a digest must be user:password");
  refused({.secret = "hidden"}, "a digest must be user:password");
  refused({.secret = "till:hidden\n"}, "a digest must not have a line end");
  refused({.secret = "till:hidden\r\n"}, "a digest must not have a line end");
  // Bytes of other schemes are not known.
  detail::checked_options({.servers = here, .credentials = {{"own", "any\nbytes"}}});
  detail::checked_options({.servers = here, .credentials = {{.secret = "till:a:b c "}}});
}

BOOST_AUTO_TEST_CASE(bad_access_rule_is_refused_with_its_index) {
  const access_rule good;
  const auto refused = [&](const access_rule& bad, const std::string& why) {
    check_refused({.servers = here, .access = {good, bad}}, errc::bad_option,
                  "invalid access[1]: " + why);
  };
  const std::string unknown = "the scheme must be world, auth, digest, ip, x509, sasl, or";
  refused({.scheme = ""}, unknown);
  refused({.scheme = "Digest", .id = "till:x"}, unknown);
  refused({.scheme = "digest:till:hidden", .id = "x"}, unknown);
  refused({.id = ""}, "the id of the scheme world must be anyone");
  refused({.id = "everyone"}, "the id of the scheme world must be anyone");
  refused({.scheme = "digest", .id = ""}, "the id of the scheme digest must be user:hash");
  refused({.scheme = "ip", .id = ""}, "the id must not be empty");
  refused({.scheme = "x509", .id = ""}, "the id must not be empty");
  detail::checked_options({.servers = here,
                           .credentials = {{"own", "secret"}},
                           .access = {{.scheme = "auth", .id = ""},
                                      {.scheme = "own", .id = "x"},
                                      {.scheme = "ip", .id = "10.0.0.0/8"}}});
}

BOOST_AUTO_TEST_CASE(bad_server_list_is_refused_with_its_text) {
  for (const std::string list :
       {"", "localhost", "localhost:", "localhost:0", "localhost:65536", "localhost:x", ":2181",
        "a:1,,b:2", "a:1,", "::1:2181", "a:1//x", "a:1/x/"}) {
    check_refused({.servers = list}, errc::bad_servers, list);
  }
}

BOOST_AUTO_TEST_CASE(session_timeout_is_capped_at_the_limit_of_the_c_client) {
  const auto asked = [](auto timeout) {
    return detail::checked_options({.servers = here, .session_timeout = timeout}).session_timeout;
  };
  BOOST_TEST((asked(1'073'741'823ms) == 1'073'741'823ms));
  BOOST_TEST((asked(1'073'741'824ms) == 1'073'741'823ms));
  BOOST_TEST((asked(2'147'483'647ms) == 1'073'741'823ms));
  check_refused(
      {.servers = here, .session_timeout = 2'147'483'647ms, .check_interval = 1'073'741'823ms},
      errc::bad_option, "for a session_timeout of 1073741823 ms");
}

BOOST_AUTO_TEST_CASE(unset_options_get_defaults) {
  const auto checked = detail::checked_options({.servers = here});
  BOOST_TEST(static_cast<bool>(checked.log));
  BOOST_TEST(!checked.identity.empty());
  BOOST_TEST(checked.identity.find(':') != std::string::npos);
  const auto session = detail::session_options_of(checked, {}, {});
  BOOST_REQUIRE(session.access_list.size() == 1u);
  BOOST_TEST(session.access_list.front().permissions == 31);
  BOOST_TEST(session.access_list.front().id == "anyone");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
