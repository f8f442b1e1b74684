// The transport with TLS on a socket, without the C client.
#include "server_engine.hpp"
#include "zookeeper/rotating_tls.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

using namespace zklock;
using namespace zklock::test;
using zklock::zookeeper::server_fault;
using zklock::zookeeper::transport;
using progress = transport::progress;

namespace {

/// A transport on one end of a socket, and the engine of a server that uses the other end.
class both_ends {
 public:
  explicit both_ends(const server_context& context, zookeeper::rotating_tls& tls)
      : engine(context) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::runtime_error("there is no pair of sockets");
    mine_ = ends[0];
    other_ = ends[1];
    zookeeper::logger log{{}};
    client = tls.open("127.0.0.1:2281", {"127.0.0.1"}, log);
  }

  ~both_ends() {
    client.reset();
    ::close(mine_);
    if (other_ >= 0) ::close(other_);
  }

  int socket() const { return mine_; }

  /// Gives the bytes of the client to the engine. Returns their plain text.
  std::string up() {
    std::string bytes;
    char piece[64 * 1024];
    for (ssize_t size; (size = ::recv(other_, piece, sizeof piece, 0)) > 0;)
      bytes.append(piece, static_cast<std::size_t>(size));
    return engine.receive(bytes);
  }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto size = ::send(other_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size < 0) throw std::runtime_error("the client does not read");
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }

  void down() { write(engine.take()); }

  void close() { ::close(std::exchange(other_, -1)); }

  /// Shakes hands to the end.
  void connect() {
    for (int i = 0; client->shake_hands(mine_) != progress::done; ++i) {
      if (i == 100) throw std::runtime_error("the handshake does not end");
      up();
      down();
    }
    plain_ = up();
    down();
  }

  std::string plain() { return std::exchange(plain_, {}) + up(); }

  bool send(std::string_view text, bool more = false) const {
    return client->send(mine_, text.data(), text.size(), more) == static_cast<ssize_t>(text.size());
  }

  /// Receives as much as has arrived.
  std::string receive() const {
    std::string all;
    char piece[1000];
    for (ssize_t size; (size = client->receive(mine_, piece)) > 0;)
      all.append(piece, static_cast<std::size_t>(size));
    return all;
  }

  server_engine engine;
  std::unique_ptr<transport> client;

 private:
  int mine_ = -1;
  int other_ = -1;
  std::string plain_;
};

struct record_scene {
  zookeeper::rotating_tls tls{accepted_tls()};
  server_context context;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(record_layer, record_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(bytes_before_the_end_of_the_handshake_are_kept) {
  both_ends ends(context, tls);
  BOOST_TEST(ends.send("leng", true));
  BOOST_TEST(ends.send("request"));
  BOOST_TEST((ends.client->shake_hands(ends.socket()) == progress::pending));
  char piece[10];
  BOOST_TEST(ends.client->receive(ends.socket(), piece) == -1);
  BOOST_TEST(errno == EAGAIN);
  ends.connect();
  BOOST_TEST(ends.plain() == "lengrequest");
}

BOOST_AUTO_TEST_CASE(handshake_arrives_byte_by_byte) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const server_context own({.version = version});
    both_ends ends(own, tls);
    BOOST_TEST(ends.send("request"));
    std::string got;
    for (int i = 0; i < 10'000 && got != "request"; ++i) {
      BOOST_REQUIRE((ends.client->shake_hands(ends.socket()) != progress::failed));
      got += ends.up();
      for (const char each : ends.engine.take()) {
        ends.write({&each, 1});
        const auto now = ends.client->shake_hands(ends.socket());
        BOOST_REQUIRE((now != progress::failed));
        if (now == progress::done) BOOST_TEST(ends.receive().empty());
      }
    }
    BOOST_TEST(got == "request");
    ends.engine.send("reply");
    for (const char each : ends.engine.take()) {
      BOOST_TEST(ends.receive().empty());
      ends.write({&each, 1});
    }
    BOOST_TEST(ends.receive() == "reply");
  }
}

BOOST_AUTO_TEST_CASE(connection_that_ends_at_any_byte_of_the_handshake_fails_with_a_reason) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const server_context own({.version = version});
    std::size_t cut = 0;
    for (bool whole = false; !whole; ++cut) {
      both_ends ends(own, tls);
      std::size_t left = cut;
      while (ends.client->shake_hands(ends.socket()) == progress::pending) {
        ends.up();
        const auto bytes = ends.engine.take();
        ends.write(bytes.substr(0, left));
        if (left < bytes.size() || bytes.empty()) ends.close();
        left -= std::min(left, bytes.size());
        if (left == 0 && ends.client->shake_hands(ends.socket()) == progress::done) break;
      }
      whole = !ends.client->fault();
      if (whole) continue;
      const auto expected = cut == 0 ? server_fault::kind::tls_failed : server_fault::kind::broken;
      BOOST_TEST((ends.client->fault()->what == expected), ends.client->fault()->text);
      BOOST_TEST(ends.client->fault()->text.find("it closed the connection") == 0u);
      BOOST_TEST(!ends.send("request"));
      BOOST_TEST(errno == EPROTO);
    }
    BOOST_TEST(cut > 300u);
  }
}

BOOST_AUTO_TEST_CASE(records_of_a_byte_are_received_without_further_events) {
  both_ends ends(context, tls);
  ends.connect();
  const std::string reply(3000, 'r');
  ends.engine.send(reply, 1);
  ends.down();
  BOOST_TEST(ends.receive() == reply);
  BOOST_TEST(errno == EAGAIN);
}

BOOST_AUTO_TEST_CASE(bytes_that_the_socket_does_not_take_are_kept) {
  both_ends ends(context, tls);
  ends.connect();
  const int small = 4096;
  ::setsockopt(ends.socket(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  const std::string request(1'000'000, 'q');
  BOOST_TEST(ends.send(request));
  BOOST_TEST(ends.client->wants_to_write());
  BOOST_TEST(!ends.send("next"));
  BOOST_TEST(errno == EAGAIN);
  std::string got;
  while (ends.client->wants_to_write()) {
    got += ends.plain();
    ends.client->flush(ends.socket());
  }
  BOOST_TEST(ends.send("next"));
  got += ends.plain();
  BOOST_TEST((got == request + "next"));
}

BOOST_AUTO_TEST_CASE(length_and_request_share_a_record) {
  both_ends ends(context, tls);
  ends.connect();
  BOOST_TEST(ends.send("leng", true));
  BOOST_TEST(ends.plain().empty());
  BOOST_TEST(ends.send("request"));
  BOOST_TEST(ends.plain() == "lengrequest");
}

BOOST_AUTO_TEST_CASE(keys_are_updated_at_any_time) {
  both_ends ends(context, tls);
  ends.connect();
  for (int i = 0; i < 50; ++i) {
    SSL_key_update(ends.engine.get(),
                   i % 2 == 0 ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED);
    ends.engine.send("reply");
    ends.down();
    BOOST_TEST(ends.receive() == "reply");
    BOOST_TEST(ends.send("request"));
    BOOST_TEST(ends.plain() == "request");
  }
}

BOOST_AUTO_TEST_CASE(renegotiation_is_refused) {
  const server_context older({.version = TLS1_2_VERSION});
  both_ends ends(older, tls);
  ends.connect();
  SSL_renegotiate(ends.engine.get());
  SSL_do_handshake(ends.engine.get());
  ends.down();
  BOOST_TEST(ends.receive().empty());
  BOOST_TEST(!ends.client->fault().has_value());
  ends.up();
  // OpenSSL's server takes the refusal for a failure.
  BOOST_TEST(ends.engine.has_failed());
}

BOOST_AUTO_TEST_CASE(end_of_the_connection_is_told_in_both_directions) {
  for (const bool notify : {true, false}) {
    both_ends ends(context, tls);
    ends.connect();
    ends.engine.send("last");
    if (notify) SSL_shutdown(ends.engine.get());
    ends.down();
    if (!notify) ends.close();
    char piece[100];
    BOOST_TEST(ends.client->receive(ends.socket(), piece) == 4);
    BOOST_TEST(ends.client->receive(ends.socket(), piece) == 0);
    BOOST_TEST(!ends.client->fault().has_value());
  }
  both_ends ends(context, tls);
  ends.connect();
  ends.client->end(ends.socket());
  ends.up();
  BOOST_TEST(ends.engine.is_ended());
}

BOOST_AUTO_TEST_CASE(sending_to_a_closed_socket_raises_no_signal) {
  both_ends ends(context, tls);
  ends.connect();
  ends.close();
  ends.send("request");
  ends.send("request");
  ends.client->end(ends.socket());
  BOOST_TEST(ends.receive().empty());
}

BOOST_AUTO_TEST_CASE(session_is_resumed_at_the_same_server_only) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const server_context own({.version = version});
    zookeeper::rotating_tls fresh(accepted_tls());
    for (int i = 0; i < 3; ++i) {
      both_ends ends(own, fresh);
      ends.connect();
      ends.engine.send("reply");
      ends.down();
      BOOST_TEST(ends.receive() == "reply");
      BOOST_TEST(ends.engine.is_resumed() == (i > 0));
    }
    both_ends ends(own, fresh);
    zookeeper::logger log{{}};
    ends.client = fresh.open("127.0.0.1:2282", {"127.0.0.1"}, log);
    ends.connect();
    BOOST_TEST(!ends.engine.is_resumed());
  }
}

BOOST_AUTO_TEST_CASE(garbage_in_place_of_a_handshake_fails) {
  for (const std::string garbage :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\r\n\r\n\r\n\r\n"}) {
    both_ends ends(context, tls);
    ends.client->shake_hands(ends.socket());
    ends.write(garbage);
    BOOST_TEST((ends.client->shake_hands(ends.socket()) == progress::failed));
    BOOST_TEST(ends.client->fault()->text == "it does not speak TLS at this port");
  }
}

BOOST_AUTO_TEST_CASE(garbage_behind_the_handshake_fails) {
  both_ends ends(context, tls);
  ends.connect();
  ends.engine.send("reply");
  auto bytes = ends.engine.take();
  bytes[bytes.size() / 2] ^= 1;
  ends.write(bytes);
  BOOST_TEST(ends.receive().empty());
  BOOST_REQUIRE(ends.client->fault().has_value());
  BOOST_TEST(ends.client->fault()->text.find("TLS with it has failed: ") == 0u,
             ends.client->fault()->text);
}

BOOST_AUTO_TEST_CASE(errors_that_the_program_has_left_in_openssl_do_not_count) {
  both_ends ends(context, tls);
  ends.connect();
  ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
  BOOST_TEST(ends.send("request"));
  BOOST_TEST(ends.plain() == "request");
  ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
  BOOST_TEST(ends.receive().empty());
  BOOST_TEST(!ends.client->fault().has_value());
}

BOOST_AUTO_TEST_SUITE_END()
