// Options, certificates and keys that the constructor of a client refuses, and certificates that
// change while a client runs.
#include "secure.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace zklock;
using namespace zklock::test;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

void check_refused(tls_options tls, const std::string& text) {
  asio::io_context io;
  BOOST_TEST_CONTEXT(text) {
    BOOST_CHECK_EXCEPTION(client(io, secure_client::with("127.0.0.1:1", std::move(tls))),
                          boost::system::system_error, [&](const auto& error) {
                            BOOST_TEST(std::string(error.what()).find(text) == 0u, error.what());
                            return error.code() == errc::bad_option;
                          });
  }
}

struct changing_scene {
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }

  /// The files of a certificate, at places where they can change.
  tls_options changing(const testing::certificate_files& files) const {
    write(path("cert"), text_of(files.certificate));
    write(path("key"), text_of(files.key));
    auto tls = accepted_tls();
    tls.certificate = {.file = path("cert")};
    tls.key = {.file = path("key")};
    return tls;
  }

  /// The client's connection is cut, and the client connects again.
  static void reconnect(secure_client& user) {
    auto& server = shared_secure_server();
    server.secure_clients().cut();
    wait_until([&] { return !user.zk().connected(); });
    wait_until([&] { return user.zk().connected(); });
  }

  const testing::temporary_directory folder;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(certificates, changing_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read_are_refused_by_their_names) {
  auto tls = accepted_tls();
  tls.authorities = {.file = path("none.pem")};
  check_refused(tls,
                "invalid tls.authorities \"" + path("none.pem") + "\": No such file or directory");
  tls = accepted_tls();
  tls.key = {.file = folder.path()};
  check_refused(tls, "invalid tls.key \"" + folder.path().string() + "\": is not a regular file");
  BOOST_REQUIRE(::mkfifo(path("fifo").c_str(), 0600) == 0);
  tls.key = {.file = path("fifo")};
  check_refused(tls, "invalid tls.key \"" + path("fifo") + "\": is not a regular file");
  write(path("empty"), "");
  tls.key = {.file = path("empty")};
  check_refused(tls, "invalid tls.key \"" + path("empty") + "\": is empty");
  write(path("long"), std::string((4 << 20) + 1, '\n'));
  tls.key = {.file = path("long")};
  check_refused(tls, "invalid tls.key \"" + path("long") + "\": is longer than 4 MiB");
}

BOOST_AUTO_TEST_CASE(texts_that_are_no_certificates_or_keys_are_refused) {
  auto tls = accepted_tls();
  tls.authorities = {.text = "nonsense"};
  check_refused(tls, "invalid tls.authorities: has no certificate");
  tls.authorities = {.file = client_certificate().key};
  check_refused(tls, "invalid tls.authorities \"" + client_certificate().key.string() +
                         "\": has no certificate");
  tls = accepted_tls();
  tls.certificate = {.text = "nonsense"};
  check_refused(tls, "invalid tls.certificate: has no certificate");
  const auto whole = text_of(client_certificate().certificate);
  tls.certificate = {.text = whole + whole.substr(0, whole.size() / 2)};
  check_refused(tls, "invalid tls.certificate: ");
  tls = accepted_tls();
  tls.key = {};
  check_refused(tls, "invalid tls.certificate \"" + client_certificate().certificate.string() +
                         "\": has no private key");
  tls = accepted_tls();
  tls.revoked = {.text = whole};
  check_refused(tls, "invalid tls.revoked: has no list of revoked certificates");
}

BOOST_AUTO_TEST_CASE(key_must_be_that_of_the_certificate) {
  auto tls = accepted_tls();
  tls.key = {.file = server_certificate().key};
  const auto name = "invalid tls.key \"" + server_certificate().key.string() + '"';
  check_refused(tls, name + ": is not the key of tls.certificate");
  const auto rsa = shared_authority().issue({.key = testing::key_kind::rsa});
  tls.key = {.file = rsa.key};
  check_refused(tls,
                "invalid tls.key \"" + rsa.key.string() + "\": is not the key of tls.certificate");
}

BOOST_AUTO_TEST_CASE(passphrase_must_decrypt_the_key) {
  const auto files = shared_authority().issue({.passphrase = "open sesame"});
  auto tls = accepted_tls();
  tls.certificate = {.file = files.certificate};
  tls.key = {.file = files.key};
  const auto name = "invalid tls.key \"" + files.key.string() + '"';
  check_refused(tls, name + ": it is encrypted, and tls.passphrase is empty");
  tls.passphrase = "open barley";
  check_refused(tls, name + ": tls.passphrase does not decrypt it");
  tls.passphrase = "open sesame";
  secure_client right(shared_secure_server().secure_address(), tls);
  BOOST_TEST(!right.use_lock(), right.log());
}

BOOST_AUTO_TEST_CASE(unknown_ciphers_are_refused_by_their_names) {
  auto tls = accepted_tls();
  tls.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256:COFFEE:!RC4";
  check_refused(tls, "invalid tls.ciphers: OpenSSL has no cipher \"COFFEE\"");
  tls.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256:!RC4:@STRENGTH";
  tls.cipher_suites = "TLS_AES_128_GCM_SHA256:TLS_COFFEE";
  check_refused(tls, "invalid tls.cipher_suites: OpenSSL has no cipher suite \"TLS_COFFEE\"");
  tls.cipher_suites = "TLS_AES_128_GCM_SHA256";
  secure_client right(shared_secure_server().secure_address(), tls);
  BOOST_TEST(!right.use_lock(), right.log());
}

BOOST_AUTO_TEST_CASE(options_that_contradict_each_other_are_refused) {
  auto tls = accepted_tls();
  tls.authorities.text = "also a text";
  check_refused(tls, "invalid tls.authorities: must be a file or a text, not both");
  tls = accepted_tls();
  tls.certificate = {};
  check_refused(tls, "invalid tls.key: has no tls.certificate");
  tls = accepted_tls();
  tls.provider = [] { return tls_certificates{}; };
  check_refused(tls, "invalid tls.authorities: must be empty, since tls.provider returns it");
}

BOOST_AUTO_TEST_CASE(contents_and_the_system_s_authorities_serve_as_well) {
  tls_options tls{.authorities = {.text = text_of(shared_authority().certificate())},
                  .certificate = {.text = text_of(client_certificate().both)}};
  secure_client with_texts(shared_secure_server().secure_address(), tls);
  BOOST_TEST(!with_texts.use_lock(), with_texts.log());
  tls.authorities = {};
  secure_client with_system(shared_secure_server().secure_address(), tls);
  BOOST_TEST((with_system.use_lock(2s) == errc::certificate_refused), with_system.log());
}

BOOST_AUTO_TEST_CASE(new_files_are_used_by_the_next_connection) {
  auto& server = shared_secure_server();
  const auto before = shared_authority().issue({.name = "before"});
  const auto after = shared_authority().issue({.name = "after"});
  auto options = secure_client::with(server.secure_address(), changing(before));
  options.access = {{.scheme = "auth", .id = ""}};
  secure_client user(options);
  const auto node = fresh_path("of-before");
  mutex first(user.zk(), node);
  hold held = get(first.acquire(30s, asio::use_future));
  get(held.release(asio::use_future));
  const auto session = user.zk().session_id();

  // One file after the other: the key is not that of the certificate meanwhile.
  write(path("cert"), text_of(after.certificate));
  reconnect(user);
  BOOST_TEST(user.logged("new TLS certificates cannot be used") == 1, user.log());
  BOOST_TEST(user.logged("is not the key of tls.certificate") == 1, user.log());
  get(get(first.acquire(30s, asio::use_future)).release(asio::use_future));
  write(path("key"), text_of(after.key));
  reconnect(user);
  BOOST_TEST(user.logged("TLS uses new certificates") == 1, user.log());
  BOOST_TEST(user.zk().session_id() == session);
  // The new certificate is another identity.
  BOOST_TEST((error_of(first.acquire(30s, asio::use_future)) == errc::no_permission));
  reconnect(user);
  BOOST_TEST(user.logged("TLS uses new certificates") == 1, user.log());
}

BOOST_AUTO_TEST_CASE(bad_new_files_leave_those_before_in_use_and_are_logged_once) {
  secure_client user(shared_secure_server().secure_address(), changing(client_certificate()));
  BOOST_TEST(!user.use_lock(), user.log());
  fs::remove(path("key"));
  for (int i = 0; i < 3; ++i) {
    reconnect(user);
    BOOST_TEST(!user.use_lock(), user.log());
  }
  BOOST_TEST(
      user.logged("new TLS certificates cannot be used, the certificates before stay in use: "
                  "invalid tls.key \"" +
                  path("key") + "\": No such file or directory") == 1,
      user.log());
}

BOOST_AUTO_TEST_CASE(provider_is_asked_for_each_connection_and_never_inside_a_call) {
  std::atomic<int> calls{0};
  std::atomic<bool> has_some{false};
  std::atomic<std::thread::id> caller;
  tls_options tls;
  tls.provider = [&] {
    ++calls;
    caller = std::this_thread::get_id();
    if (!has_some) throw std::runtime_error("the vault is sealed");
    return tls_certificates{.authorities = text_of(shared_authority().certificate()),
                            .certificate = text_of(client_certificate().certificate),
                            .key = text_of(client_certificate().key)};
  };
  secure_client user(shared_secure_server().secure_address(), tls);
  const auto error = user.use_lock(1s);
  BOOST_TEST((error == errc::tls_failed), user.log());
  BOOST_TEST(user.logged("could not connect to " + shared_secure_server().secure_address() +
                         ": the client has no usable certificates: invalid tls.provider: it has "
                         "thrown: the vault is sealed") == 1,
             user.log());
  has_some = true;
  BOOST_TEST(!user.use_lock(), user.log());
  BOOST_TEST((caller.load() != std::this_thread::get_id()));
  const int before = calls;
  has_some = false;
  reconnect(user);
  BOOST_TEST(calls > before);
  BOOST_TEST(user.logged("the certificates before stay in use: invalid tls.provider") == 1,
             user.log());
}

BOOST_AUTO_TEST_CASE(provider_is_gone_with_the_client) {
  const auto belonging = std::make_shared<int>();
  tls_options tls;
  tls.provider = [belonging] {
    return tls_certificates{.authorities = text_of(shared_authority().certificate()),
                            .certificate = text_of(client_certificate().both)};
  };
  secure_client user(shared_secure_server().secure_address(), tls);
  tls = {};
  BOOST_TEST(!user.use_lock(), user.log());
  BOOST_TEST(belonging.use_count() == 2);
  user.close();
  BOOST_TEST(belonging.use_count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
