// The command on servers with TLS.
#include <zklock/testing/authority.hpp>
#include <zklock/testing/relay.hpp>

#include "cli/users.hpp"

#include <boost/json/parse.hpp>

#include <map>

using namespace zklock;
using namespace zklock::test;

namespace json = boost::json;

namespace {

struct secure_scene {
  /// Runs the command with the variables of TLS.
  outcome run(const std::vector<std::string>& arguments,
              std::map<std::string, std::string> changed = {}) const {
    changed.insert({{"SERVERS", server.secure_address()},
                    {"TLS_CA", authority.certificate()},
                    {"TLS_CERT", files.certificate},
                    {"TLS_KEY", files.key}});
    std::vector<std::string> environment;
    for (const auto& [name, value] : changed)
      environment.push_back("ZKLOCK_" + name + '=' + value);
    return run_zklock(arguments, environment);
  }

  testing::authority authority;
  testing::certificate_files files =
      authority.issue({.hosts = {"127.0.0.1"}, .valid_until = 24h * 30 + 1h});
  testing::server server{{.tls = testing::server_tls{.certificate = files.both,
                                                     .authorities = authority.certificate()}}};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(command_tls, secure_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(commands_connect_by_tls_with_options_or_variables) {
  const auto by_options = run_zklock({"run", "--servers", server.secure_address(), "--tls-ca",
                                      authority.certificate().string(), "--tls-cert",
                                      files.both.string(), "/jobs/backup", "echo", "held"});
  BOOST_TEST(by_options.status == 0, by_options.errors);
  BOOST_TEST(by_options.out == "held\n");
  // A nested run inherits the variables.
  const auto nested =
      run({"run", "/jobs/outer", ZKLOCK_COMMAND, "run", "/jobs/inner", "echo", "held"});
  BOOST_TEST(nested.status == 0, nested.errors);
  BOOST_TEST(nested.out == "held\n");
  const auto listed = run({"ls"});
  BOOST_TEST(listed.status == 0, listed.errors);
}

BOOST_AUTO_TEST_CASE(passphrase_comes_from_a_variable) {
  const auto encrypted = authority.issue({.passphrase = "open sesame"});
  const std::vector<std::string> ls{"ls", "--tls-cert", encrypted.certificate.string(), "--tls-key",
                                    encrypted.key.string()};
  BOOST_TEST(run(ls, {{"TLS_PASSPHRASE", "open sesame"}}).status == 0);
  const auto wrong = run(ls, {{"TLS_PASSPHRASE", "open barley"}});
  BOOST_TEST(wrong.status == 64);
  BOOST_TEST(wrong.errors.starts_with("zklock: invalid tls.key \"" + encrypted.key.string() +
                                      "\": tls.passphrase does not decrypt it\n"),
             wrong.errors);
}

BOOST_AUTO_TEST_CASE(refused_and_missing_certificates_are_told) {
  const std::vector<std::string> soon{"ls", "--connect-timeout", "1s"};
  const auto refused = run(soon, {{"TLS_CA", "system"}});
  BOOST_TEST(refused.status == 69);
  BOOST_TEST(refused.errors.find("zklock: the certificate of every server of " +
                                 server.secure_address() + " is refused") != std::string::npos,
             refused.errors);
  const auto missing = run(soon, {{"TLS_CERT", ""}, {"TLS_KEY", ""}});
  BOOST_TEST(missing.status == 69);
  BOOST_TEST(missing.errors.find("demands a certificate") != std::string::npos, missing.errors);
  const auto no_file = run(soon, {{"TLS_CA", "/nowhere/ca.pem"}});
  BOOST_TEST(no_file.status == 64);
  BOOST_TEST(
      no_file.errors.starts_with(
          "zklock: invalid tls.authorities \"/nowhere/ca.pem\": No such file or directory\n"),
      no_file.errors);
}

BOOST_AUTO_TEST_CASE(doctor_shows_what_a_server_tells_at_its_secure_port) {
  const auto done = run({"doctor", "--cycles", "5", "--json"});
  BOOST_TEST(done.status == 0, done.out << done.errors);
  const auto all = json::parse(done.out);
  const auto& told = all.at("servers").at(0);
  BOOST_TEST(told.at("mode").as_string() == "standalone");
  BOOST_TEST(told.at("version").as_string().starts_with("3."));
  BOOST_TEST(told.at("srvr_ms").to_number<double>() > 0);
  for (const auto& each : all.at("checks").as_array())
    BOOST_TEST(each.at("state").as_string() == "ok", each);
}

BOOST_AUTO_TEST_CASE(doctor_tells_why_a_server_agrees_on_no_tls) {
  const auto refused = run({"doctor"}, {{"TLS_CA", "system"}});
  BOOST_TEST(refused.status == 1);
  BOOST_TEST(refused.says("the authority of its certificate is unknown to the client"),
             refused.out << refused.errors);
  const auto missing = run({"doctor"}, {{"TLS_CERT", ""}, {"TLS_KEY", ""}});
  BOOST_TEST(missing.status == 1);
  BOOST_TEST(missing.says("it demands a certificate of the client"), missing.out << missing.errors);
}

BOOST_AUTO_TEST_CASE(limit_of_a_question_holds_for_the_handshake) {
  testing::relay silent(server.secure_address(), {.frames = false});
  silent.silence();
  const auto done =
      run({"doctor", "--servers", silent.address(), "--connect-timeout", "500ms", "--json"});
  BOOST_TEST(done.status == 1);
  BOOST_TEST(json::parse(done.out).at("servers").at(0).at("problem").as_string() ==
             "Connection timed out");
}

BOOST_AUTO_TEST_CASE(commands_leave_a_silent_server_with_tls_out) {
  // The first handshake of a server may take longer than a question may.
  BOOST_TEST(run({"ls"}).status == 0);
  testing::relay silent(server.secure_address(), {.frames = false});
  silent.silence();
  const auto listed = run({"ls", "--servers", silent.address() + ',' + server.secure_address()});
  BOOST_TEST(listed.status == 0, listed.errors);
  // The question alone.
  BOOST_TEST(silent.accepted() == 1u);
}

BOOST_AUTO_TEST_CASE(doctor_shows_version_cipher_and_days) {
  const auto done = run({"doctor", "--cycles", "5", "--json"});
  BOOST_TEST(done.status == 0, done.out << done.errors);
  const auto all = json::parse(done.out);
  const auto& tls = all.at("servers").at(0).at("tls");
  BOOST_TEST(tls.at("version").as_string() == "TLSv1.3");
  BOOST_TEST(tls.at("server_certificate_days").to_number<int>() == 30);
  BOOST_TEST(tls.at("client_certificate_days").to_number<int>() == 30);
  const auto text = run({"doctor", "--cycles", "5"});
  BOOST_TEST(text.says("the first certificate of a server expires in 30 days, that of this client "
                       "expires in 30 days"));
  // Less than two weeks are a problem.
  const auto old = authority.issue({.valid_until = 24h * 3 + 1h});
  const auto soon =
      run({"doctor", "--cycles", "5", "--tls-cert", old.both.string(), "--tls-key", ""});
  BOOST_TEST(soon.status == 1);
  BOOST_TEST(soon.says("that of this client expires in 3 days"), soon.out << soon.errors);
}

BOOST_AUTO_TEST_SUITE_END()
