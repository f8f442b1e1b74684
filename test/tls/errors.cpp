// Servers, clients and certificates that do not fit together: the error code and the log.
#include "secure.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace zklock;
using namespace zklock::test;

namespace {

/// The client ends with this error, logs this text once, and recovers.
void expect(secure_client& refused, errc code, const std::string& text) {
  const auto error = refused.use_lock(2s);
  BOOST_TEST((error == code), error.message() << refused.log());
  BOOST_TEST((error == boost::system::errc::not_connected));
  BOOST_TEST(refused.logged(text) == 1, text << refused.log());
  BOOST_TEST(refused.logged("could not connect") == 1, refused.log());
}

void expect(const std::string& servers, tls_options tls, errc code, const std::string& text) {
  secure_client refused(servers, std::move(tls));
  expect(refused, code, text);
}

/// A server with a certificate of this kind.
testing::server_options with_certificate(const testing::certificate_options& kind) {
  auto options = secure_server();
  options.tls->certificate = shared_authority().issue(kind).both;
  return options;
}

tls_options without_certificate() {
  auto tls = accepted_tls();
  tls.certificate = tls.key = {};
  return tls;
}

} // namespace

BOOST_AUTO_TEST_SUITE(errors, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(expired_certificate_is_refused) {
  const testing::server server(
      with_certificate({.name = "old", .hosts = {"127.0.0.1"}, .valid_until = -1min}));
  expect(server.secure_address(), accepted_tls(), errc::certificate_refused,
         "its certificate has expired: CN=old was valid until 20");
}

BOOST_AUTO_TEST_CASE(certificate_that_is_not_valid_yet_is_refused) {
  const testing::server server(
      with_certificate({.name = "new", .hosts = {"127.0.0.1"}, .valid_from = 1h}));
  expect(server.secure_address(), accepted_tls(), errc::certificate_refused,
         "its certificate is not valid yet: CN=new is valid from 20");
}

BOOST_AUTO_TEST_CASE(unknown_authority_is_refused) {
  const testing::authority others("another authority");
  auto tls = accepted_tls();
  tls.authorities = {.file = others.certificate()};
  expect(shared_secure_server().secure_address(), tls, errc::certificate_refused,
         "the authority of its certificate is unknown to the client: CN=zklock test authority");
}

BOOST_AUTO_TEST_CASE(certificate_for_other_names_is_refused_with_all_names) {
  const testing::server server(
      with_certificate({.hosts = {"zk1.example.com", "10.1.2.3", "fd00::1"}}));
  expect(server.secure_address(), accepted_tls(), errc::certificate_refused,
         "its certificate is for zk1.example.com, 10.1.2.3 and fd00::1, not for 127.0.0.1");
  auto tls = accepted_tls();
  tls.server_name = "zk2.example.com";
  expect(server.secure_address(), tls, errc::certificate_refused,
         "its certificate is for zk1.example.com, 10.1.2.3 and fd00::1, not for zk2.example.com");
  for (const std::string name : {"zk1.example.com", "10.1.2.3", "fd00::1"}) {
    tls.server_name = name;
    secure_client right(server.secure_address(), tls);
    BOOST_TEST(!right.use_lock(), name << right.log());
  }
  tls.server_name.clear();
  tls.verify_names = false;
  secure_client careless(server.secure_address(), tls);
  BOOST_TEST(!careless.use_lock(), careless.log());
}

BOOST_AUTO_TEST_CASE(name_in_the_subject_does_not_count) {
  const testing::server server(with_certificate({.name = "localhost"}));
  auto tls = accepted_tls();
  tls.server_name = "localhost";
  expect(server.secure_address(), tls, errc::certificate_refused,
         "its certificate is for no name, since it has no subjectAltName, not for localhost");
}

BOOST_AUTO_TEST_CASE(revoked_certificate_is_refused) {
  auto issuer = testing::authority();
  const auto revoked = issuer.issue({.name = "lost", .hosts = {"127.0.0.1"}});
  const auto good = issuer.issue({.hosts = {"127.0.0.1"}});
  const auto list = issuer.revoke({revoked});
  auto tls = accepted_tls();
  tls.authorities = {.file = issuer.certificate()};
  tls.revoked = {.file = list};
  auto options = secure_server();
  options.tls->certificate = revoked.both;
  const testing::server lost(options);
  expect(lost.secure_address(), tls, errc::certificate_refused,
         "its certificate is revoked: CN=lost");
  options.tls->certificate = good.both;
  const testing::server other(options);
  secure_client right(other.secure_address(), tls);
  BOOST_TEST(!right.use_lock(), right.log());
}

BOOST_AUTO_TEST_CASE(port_without_tls_is_told) {
  expect(shared_secure_server().address(), accepted_tls(), errc::tls_failed,
         "is this the port of its secureClientPort?");
}

BOOST_AUTO_TEST_CASE(client_without_tls_is_told_of_tls_at_the_port) {
  secure_client plain(options_for(shared_secure_server().secure_address()));
  const auto error = plain.use_lock(2s);
  BOOST_TEST((error == errc::not_connected), plain.log());
  BOOST_TEST(plain.logged("could not connect") == 1, plain.log());
  BOOST_TEST(plain.logged("does it speak TLS at this port, which needs client_options::tls?") == 1);
}

BOOST_AUTO_TEST_CASE(server_that_demands_a_certificate_is_told) {
  for (const std::string protocol : {"TLSv1.2", "TLSv1.3"}) {
    auto options = secure_server();
    options.tls->protocols = protocol;
    const testing::server server(options);
    expect(server.secure_address(), without_certificate(), errc::certificate_demanded,
           "it demands a certificate of the client");
    testing::authority others("another authority");
    auto tls = accepted_tls();
    tls.certificate = {.file = others.issue().both};
    tls.key = {};
    expect(server.secure_address(), tls, errc::certificate_demanded,
           "it refuses the certificate of the client");
    tls.certificate = {.file = shared_authority().issue({.valid_until = -1min}).both};
    expect(server.secure_address(), tls, errc::certificate_demanded,
           "it refuses the certificate of the client");
  }
}

BOOST_AUTO_TEST_CASE(certificate_of_the_client_is_not_needed_where_the_server_only_wants_it) {
  for (const auto clients :
       {testing::client_certificates::wanted, testing::client_certificates::none}) {
    auto options = secure_server();
    options.tls->clients = clients;
    const testing::server server(options);
    secure_client anonymous(server.secure_address(), without_certificate());
    BOOST_TEST(!anonymous.use_lock(), anonymous.log());
  }
}

BOOST_AUTO_TEST_CASE(server_with_old_versions_only_is_told) {
  const testing::temporary_directory folder;
  const auto file = folder.path() / "java.security";
  std::ofstream(file) << "jdk.tls.disabledAlgorithms=SSLv3\n";
  auto options = secure_server();
  options.tls->protocols = "TLSv1,TLSv1.1";
  options.java_options = {"-Djava.security.properties=" + file.string()};
  options.configuration = {"ssl.ciphersuites=TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"};
  const testing::server server(options);
  expect(server.secure_address(), accepted_tls(), errc::tls_failed, "versions of TLS");
}

BOOST_AUTO_TEST_CASE(server_without_a_common_cipher_is_told) {
  auto tls = accepted_tls();
  tls.ciphers = "ECDHE-ECDSA-CHACHA20-POLY1305";
  auto options = secure_server();
  options.tls->protocols = "TLSv1.2";
  const testing::server server(options);
  expect(server.secure_address(), tls, errc::tls_failed, "it accepts none of the client's ciphers");
}

BOOST_AUTO_TEST_SUITE_END()
