// Locks over the TLS of the library, on a real server.
#include <zklock/testing/ensemble.hpp>

#include "secure.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(locking, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(lock_is_acquired_with_a_certificate_of_the_client) {
  secure_client with_tls(shared_secure_server().secure_address(), accepted_tls());
  BOOST_TEST(!with_tls.use_lock(), with_tls.log());
  const auto session = with_tls.zk().session_id();
  with_tls.close();
  // The servers have closed the session: none is left to expire.
  BOOST_TEST(!shared_secure_server().expire(session));
}

BOOST_AUTO_TEST_CASE(lock_is_acquired_with_each_version_and_kind_of_key) {
  for (const auto key : {testing::key_kind::p256, testing::key_kind::rsa})
    for (const std::string protocol : {"TLSv1.2", "TLSv1.3"}) {
      const auto files = shared_authority().issue({.hosts = {"127.0.0.1"}, .key = key});
      auto options = secure_server();
      options.tls->certificate = files.both;
      options.tls->protocols = protocol;
      const testing::server only(options);
      auto tls = accepted_tls();
      tls.certificate = {.file = files.both};
      tls.key = {};
      secure_client with_tls(only.secure_address(), tls);
      BOOST_TEST(!with_tls.use_lock(), protocol << with_tls.log());
      with_tls.close();
      tls.min_version = tls_version::v1_3;
      secure_client newer(only.secure_address(), tls);
      const auto error = newer.use_lock(2s);
      if (protocol == "TLSv1.3")
        BOOST_TEST(!error, newer.log());
      else
        BOOST_TEST((error == errc::tls_failed), newer.log());
    }
}

BOOST_AUTO_TEST_CASE(session_outlives_cuts_and_silence) {
  auto& server = shared_secure_server();
  secure_client with_tls(server.secure_address(), accepted_tls());
  mutex lock(with_tls.zk(), "/locks/outliving");
  hold held = get(lock.acquire(30s, asio::use_future));
  const auto session = with_tls.zk().session_id();
  for (std::uint64_t cuts = 1; cuts <= 5; ++cuts) {
    server.secure_clients().cut();
    wait_until([&] { return with_tls.zk().stats().reconnects == cuts; });
  }
  server.cut_from_clients(testing::cut::silent);
  wait_until([&] { return !with_tls.zk().connected(); });
  server.heal();
  wait_until([&] { return with_tls.zk().connected(); });
  BOOST_TEST(with_tls.zk().session_id() == session);
  BOOST_TEST((held.state() != hold_state::lost));
  get(held.release(asio::use_future));
}

BOOST_AUTO_TEST_CASE(host_is_verified_by_name_and_by_address) {
  const auto port = std::to_string(shared_secure_server().secure_clients().port());
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    secure_client with_tls(host + ':' + port, accepted_tls());
    BOOST_TEST(!with_tls.use_lock(), host << with_tls.log());
  }
}

BOOST_AUTO_TEST_CASE(locks_move_between_clients_with_and_without_tls) {
  auto& server = shared_secure_server();
  secure_client with_tls(server.secure_address(), accepted_tls());
  background context;
  client plain(context.io, options_for(server.address()));
  mutex secured(with_tls.zk(), "/locks/moving"), open(plain, "/locks/moving");
  for (int i = 0; i < 20; ++i) {
    hold first = get(secured.acquire(30s, asio::use_future));
    auto second = open.acquire(30s, asio::use_future);
    get(first.release(asio::use_future));
    hold held = get(second);
    get(held.release(asio::use_future));
  }
}

BOOST_AUTO_TEST_CASE(hold_outlives_killed_servers_of_an_ensemble) {
  testing::ensemble servers(3, secure_server());
  secure_client with_tls(servers.secure_addresses(), accepted_tls());
  mutex lock(with_tls.zk(), "/locks/ensemble");
  hold held = get(lock.acquire(30s, asio::use_future));
  const auto session = with_tls.zk().session_id();
  for (std::size_t i = 0; i < servers.size(); ++i) {
    servers[i].kill();
    wait_until([&] { return with_tls.zk().connected(); });
    servers[i].start();
    servers.wait_until_serving();
  }
  wait_until([&] { return with_tls.zk().connected(); });
  BOOST_TEST(with_tls.zk().session_id() == session);
  BOOST_TEST((held.state() != hold_state::lost));
}

BOOST_AUTO_TEST_CASE(certificate_is_an_identity_in_access_lists) {
  auto& server = shared_secure_server();
  auto options = secure_client::with(server.secure_address(), accepted_tls());
  options.access = {access_rule::x509("CN=zklock")};
  secure_client with_tls(options);
  mutex lock(with_tls.zk(), "/guarded");
  hold held = get(lock.acquire(30s, asio::use_future));
  background context;
  client plain(context.io, options_for(server.address()));
  mutex theirs(plain, "/guarded");
  BOOST_TEST((error_of(theirs.acquire(30s, asio::use_future)) == errc::no_permission));
  // A resumed TLS session keeps the identity.
  for (int i = 0; i < 3; ++i) {
    get(held.release(asio::use_future));
    server.secure_clients().cut();
    held = get(lock.acquire(30s, asio::use_future));
  }
}

BOOST_AUTO_TEST_CASE(stats_tell_version_cipher_and_expiry) {
  secure_client plain(options_for(shared_secure_server().address()));
  BOOST_TEST(!plain.use_lock());
  BOOST_TEST(!plain.zk().stats().tls.has_value());
  auto options = secure_server();
  options.tls->certificate =
      shared_authority().issue({.hosts = {"127.0.0.1"}, .valid_until = 50h}).both;
  const testing::server server(options);
  secure_client with_tls(server.secure_address(), accepted_tls());
  BOOST_TEST(!with_tls.use_lock(), with_tls.log());
  const auto tls = with_tls.zk().stats().tls;
  BOOST_REQUIRE(tls.has_value());
  BOOST_TEST(tls->version == "TLSv1.3");
  BOOST_TEST(tls->cipher.find("TLS_AES_") == 0u);
  const auto now = std::chrono::system_clock::now();
  BOOST_TEST((tls->server_expiry > now + 49h && tls->server_expiry < now + 51h));
  BOOST_REQUIRE(tls->client_expiry.has_value());
  BOOST_TEST((*tls->client_expiry > now + 23h && *tls->client_expiry < now + 25h));
}

BOOST_AUTO_TEST_SUITE_END()
