// A ZooKeeper server with TLS of its own, behind stunnel on the side of the clients.
#include "client_tunnel.hpp"
#include "recorder.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr auto secret = "till:open sesame";

/// A server with the lines of examples/tls/zoo.cfg.
class tls_server {
 public:
  explicit tls_server(const certificates& made) : server_(options(made)) {}

  std::uint16_t tls_port() const { return port_.port(); }
  std::string plain_address() const { return server_.direct_address(); }
  std::string log() const { return server_.log_tail(); }

 private:
  testing::server_options options(const certificates& made) const {
    std::istringstream in(
        with_settings("zoo.cfg", {{"secureClientPort", std::to_string(port_.port())},
                                  {"ssl.keyStore.location", made("zk1.example.com.pem")},
                                  {"ssl.trustStore.location", made("ca.pem")}}));
    testing::server_options result;
    result.configuration.emplace_back("secureClientPortAddress=127.0.0.1");
    for (std::string line; std::getline(in, line);)
      result.configuration.push_back(line);
    return result;
  }

  testing::port_reservation port_;
  testing::server server_;
};

struct tunnelled_server {
  /// The options of a client that gives up soon.
  client_options options(const std::string& servers) {
    auto result = options_for(servers);
    result.identity = "till number 7";
    result.credentials = {{.secret = secret}};
    result.log = [this](log_level, std::string_view line) { log_ += std::string(line) + '\n'; };
    return result;
  }

  std::string use(const std::string& servers) {
    client zk(context.io, options(servers));
    mutex lock(zk, path);
    hold held = get(lock.acquire(30s, asio::use_future));
    const auto node = held.node();
    BOOST_TEST(held.owns_lock());
    get(held.release(asio::use_future));
    get(zk.close(asio::use_future));
    return node;
  }

  const std::string path = "/locks/tickets of the night train";
  std::string log_;
  background context;
  const certificates made;
  tls_server server{made};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tunnelled, tunnelled_server, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(one_in_the_middle_reads_nothing_of_a_lock) {
  // The rest relies on this: without TLS, the recorder sees everything.
  recorder plain(static_cast<std::uint16_t>(
      std::stoi(server.plain_address().substr(server.plain_address().find(':') + 1))));
  auto node = use(plain.address());
  const std::string name = node.substr(node.rfind('/') + 1);
  for (const std::string& each : {path, std::string("till number 7"), std::string(secret), name})
    BOOST_TEST_CONTEXT(each) {
      BOOST_TEST((plain.bytes().find(each) != std::string::npos));
    }

  recorder middle(server.tls_port());
  const auto port = static_cast<std::uint16_t>(
      std::stoi(middle.address().substr(middle.address().find(':') + 1)));
  const client_tunnel through(made, {port});
  node = use(through.addresses());
  const auto seen = middle.bytes();
  BOOST_TEST(seen.size() > 500u);
  for (const std::string& each :
       {path, std::string("tickets"), std::string("till number 7"), std::string(secret),
        node.substr(node.rfind('/') + 1), std::string("lock-")})
    BOOST_TEST_CONTEXT(each) {
      BOOST_TEST((seen.find(each) == std::string::npos));
    }
}

BOOST_AUTO_TEST_CASE(certificate_of_a_client_is_its_identity_in_access_lists) {
  const client_tunnel through(made, {server.tls_port()});
  auto with_certificate = options(through.addresses());
  with_certificate.credentials.clear();
  with_certificate.access = {{.scheme = "x509", .id = "CN=zklock"}};
  client zk(context.io, with_certificate);
  mutex lock(zk, "/guarded");
  hold held = get(lock.acquire(30s, asio::use_future));
  client other(context.io, options(server.plain_address()));
  mutex theirs(other, "/guarded");
  BOOST_TEST((error_of(theirs.acquire(30s, asio::use_future)) == errc::no_permission));
  get(held.release(asio::use_future));
  held = get(lock.acquire(30s, asio::use_future));
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(server_refuses_a_client_without_a_certificate) {
  const client_tunnel without(made, {server.tls_port()}, {{"cert", ""}});
  client zk(context.io, options(without.addresses()));
  mutex lock(zk, path);
  BOOST_TEST((error_of(lock.acquire(2s, asio::use_future)) == errc::not_connected));
  BOOST_TEST(log_.find("could not connect to " + without.addresses()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(client_without_tls_is_refused_at_the_port_with_tls) {
  client zk(context.io, options("127.0.0.1:" + std::to_string(server.tls_port())));
  mutex lock(zk, path);
  const auto error = error_of(lock.acquire(2s, asio::use_future));
  BOOST_TEST((error == boost::system::errc::not_connected));
  BOOST_TEST(log_.find("could not connect to ") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
