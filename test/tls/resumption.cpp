// TLS sessions that the client resumes on a real server, as an observer between the two sees it.
#include "recorder.hpp"
#include "secure.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

using namespace zklock;
using namespace zklock::test;

namespace {

std::size_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::size_t number = 0;
  for (const char each : bytes.substr(at, size))
    number = number << 8 | static_cast<unsigned char>(each);
  return number;
}

/// The messages of a server in its handshake that are not encrypted, by type.
std::map<std::size_t, std::string_view> open_messages(std::string_view messages) {
  std::map<std::size_t, std::string_view> all;
  while (!messages.empty()) {
    const auto type = number_at(messages, 0, 1);
    const auto size = number_at(messages, 1, 3);
    all[type] = messages.substr(4, size);
    messages.remove_prefix(4 + size);
  }
  return all;
}

/// Whether a ServerHello has an extension of this type.
bool has_extension(std::string_view hello, std::size_t type) {
  constexpr std::size_t version_and_random = 34;
  constexpr std::size_t cipher_and_compression = 3;
  hello.remove_prefix(version_and_random);
  hello.remove_prefix(1 + number_at(hello, 0, 1) + cipher_and_compression);
  for (hello.remove_prefix(2); !hello.empty(); hello.remove_prefix(4 + number_at(hello, 2, 2)))
    if (number_at(hello, 0, 2) == type) return true;
  return false;
}

/// Whether the server has resumed a TLS session on a connection.
bool is_resumed(std::string_view reply, const std::string& protocol) {
  constexpr std::size_t record_of_handshake = 22;
  constexpr std::size_t server_hello = 2;
  constexpr std::size_t certificate = 11;
  constexpr std::size_t pre_shared_key = 41;
  std::string open;
  while (number_at(reply, 0, 1) == record_of_handshake) {
    const auto size = number_at(reply, 3, 2);
    open += reply.substr(5, size);
    reply.remove_prefix(5 + size);
  }
  const auto messages = open_messages(open);
  // TLS 1.3 encrypts the certificate, and its ServerHello tells the key that is used again.
  if (protocol == "TLSv1.3") return has_extension(messages.at(server_hello), pre_shared_key);
  return !messages.contains(certificate);
}

} // namespace

BOOST_AUTO_TEST_SUITE(resumption, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(client_resumes_tls_until_the_server_has_restarted) {
  for (const std::string protocol : {"TLSv1.2", "TLSv1.3"}) {
    auto options = secure_server();
    options.tls->protocols = protocol;
    testing::server only(options);
    recorder between(only.secure_clients().port());
    secure_client with_tls(between.address(), accepted_tls());
    BOOST_TEST(!with_tls.use_lock(), protocol << with_tls.log());
    for (const bool restarts : {false, false, true, false}) {
      const auto before = between.replies().size();
      if (restarts)
        only.restart();
      else
        only.secure_clients().cut();
      wait_until([&] { return between.replies().size() > before; });
      BOOST_TEST(!with_tls.use_lock(), protocol << with_tls.log());
    }
    std::vector<std::string> expected{"full", "resumed", "resumed", "full", "resumed"};
    // A server of version 3.9 makes a new context of TLS for each connection (ZOOKEEPER-4622).
    if (only.counters().at("zk_version").starts_with("3.9.")) expected.assign(5, "full");
    std::vector<std::string> handshakes;
    for (const auto& reply : between.replies())
      handshakes.emplace_back(is_resumed(reply, protocol) ? "resumed" : "full");
    BOOST_TEST_CONTEXT(protocol)
    BOOST_TEST(handshakes == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
