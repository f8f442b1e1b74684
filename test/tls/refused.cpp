// Certificates that stunnel refuses, with the files of examples/tls on both sides.
#include "client_tunnel.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

using namespace zklock;
using namespace zklock::test;

namespace {

struct refused_scene {
  /// A client that is told of lost connections.
  client connect(const client_tunnel& through) {
    auto options = options_for(through.addresses());
    options.log = [this](log_level, std::string_view line) { log_ += std::string(line) + '\n'; };
    return {context.io, options};
  }

  /// Both the client and stunnel say so, and the server sees nothing.
  void expect_refused(const client_tunnel& through, const std::string& why) {
    shared_server().reset_counts();
    client zk = connect(through);
    mutex lock(zk, path);
    BOOST_TEST((error_of(lock.acquire(2s, asio::use_future)) == errc::not_connected));
    BOOST_TEST(log_.find("could not connect to " + through.addresses()) != std::string::npos);
    BOOST_TEST(through.says(why), "stunnel does not say \"" << why << "\":\n" << through.log());
    BOOST_TEST(shared_server().clients().accepted() == 0u);
  }

  std::uint16_t port = shared_server().port();
  const std::string path = fresh_path();
  std::string log_;
  background context;
  certificates made;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(refused, refused_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(right_certificate_is_accepted) {
  const server_tunnel server(made, made("zk1.example.com.pem"), port);
  const client_tunnel through(made, {server.port()});
  client zk = connect(through);
  mutex lock(zk, path);
  const hold held = get(lock.acquire(30s, asio::use_future));
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(log_.find("could not connect") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(certificate_of_another_authority_is_refused) {
  const certificates others;
  const server_tunnel server(made, others("zk1.example.com.pem"), port);
  expect_refused({made, {server.port()}}, "certificate verify failed");
}

BOOST_AUTO_TEST_CASE(expired_certificate_is_refused) {
  // OpenSSL 3.6 makes none that has expired already.
  made.make({"zk1.example.com"}, "0");
  const auto expired = std::chrono::system_clock::now() + 1s;
  // The certificate of the clients is made anew, too.
  made.make({"zk2.example.com"}, "2");
  std::this_thread::sleep_until(expired);
  const server_tunnel server(made, made("zk1.example.com.pem"), port);
  expect_refused({made, {server.port()}}, "certificate has expired");
}

BOOST_AUTO_TEST_CASE(certificate_for_another_name_is_refused) {
  made.make({"zk9.example.com"}, "2");
  const server_tunnel server(made, made("zk9.example.com.pem"), port);
  expect_refused({made, {server.port()}}, "Subject checks failed");
  // It is checkHost that refuses it.
  const client_tunnel careless(made, {server.port()}, {{"zk1.checkHost", ""}});
  client zk = connect(careless);
  mutex lock(zk, path);
  const hold held = get(lock.acquire(30s, asio::use_future));
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(certificate_of_a_client_from_another_authority_is_refused) {
  const certificates others;
  const server_tunnel server(made, made("zk1.example.com.pem"), port);
  expect_refused({made, {server.port()}, {{"cert", others("client.pem")}}}, "alert");
  BOOST_TEST(server.says("certificate verify failed"), server.log());
}

BOOST_AUTO_TEST_CASE(server_without_tls_is_refused) {
  const client_tunnel through(made, {port});
  client zk = connect(through);
  mutex lock(zk, path);
  BOOST_TEST((error_of(lock.acquire(2s, asio::use_future)) == errc::not_connected));
  BOOST_TEST(through.says("unexpected eof while reading"), through.log());
}

BOOST_AUTO_TEST_SUITE_END()
