#include "zookeeper/plain_transport.hpp"

#include "support/unique_descriptor.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

using zklock::detail::unique_descriptor;
using zklock::zookeeper::plain_transport;

namespace {

/// Two connected sockets. Sockets of the kind SOCK_SEQPACKET keep apart the bytes of each send.
struct pair {
  explicit pair(int kind) {
    std::array<int, 2> ends{-1, -1};
    BOOST_TEST_REQUIRE(::socketpair(AF_UNIX, kind | SOCK_NONBLOCK, 0, ends.data()) == 0);
    ours = unique_descriptor(ends[0]);
    theirs = unique_descriptor(ends[1]);
  }

  ssize_t send(std::string_view bytes, bool more = false) {
    return transport.send(ours.get(), bytes.data(), bytes.size(), more);
  }
  std::string take() const {
    std::array<char, 64 * 1024> bytes;
    const auto size = ::recv(theirs.get(), bytes.data(), bytes.size(), 0);
    return size > 0 ? std::string(bytes.data(), static_cast<std::size_t>(size)) : "";
  }
  void give(std::string_view bytes) const {
    BOOST_TEST(::send(theirs.get(), bytes.data(), bytes.size(), 0) ==
               static_cast<ssize_t>(bytes.size()));
  }
  std::string receive(std::size_t room) {
    std::string bytes(room, '\0');
    const auto size = transport.receive(ours.get(), bytes);
    if (size < 0) return errno == EAGAIN ? "EAGAIN" : "error";
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
  }

  unique_descriptor ours, theirs;
  plain_transport transport;
};

} // namespace

BOOST_AUTO_TEST_SUITE(plain_transports, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(length_and_request_go_by_one_send) {
  pair p(SOCK_SEQPACKET);
  BOOST_TEST(p.send("1234", true) == 4);
  BOOST_TEST(p.take().empty());
  BOOST_TEST(p.send("request") == 7);
  BOOST_TEST(p.take() == "1234request");
  BOOST_TEST(p.send("more") == 4);
  BOOST_TEST(p.take() == "more");
}

// As the C client does, which stops at a send that was cut short, and goes on behind its bytes.
BOOST_AUTO_TEST_CASE(bytes_arrive_once_and_in_order_by_a_socket_that_takes_parts) {
  pair p(SOCK_STREAM);
  const int least = 1;
  BOOST_TEST(::setsockopt(p.ours.get(), SOL_SOCKET, SO_SNDBUF, &least, sizeof least) == 0);
  std::string sent;
  std::string arrived;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string length{'l', 'e', 'n', static_cast<char>('0' + i % 10)};
    const std::string body(static_cast<std::size_t>(1 + 97 * i), static_cast<char>('a' + i % 26));
    sent += length + body;
    BOOST_TEST_REQUIRE(p.send(length, true) == 4);
    for (std::string_view left = body; !left.empty();) {
      const auto size = p.send(left);
      if (size > 0) {
        left.remove_prefix(static_cast<std::size_t>(size));
        continue;
      }
      BOOST_TEST_REQUIRE(size == -1);
      BOOST_TEST_REQUIRE(errno == EAGAIN);
      ++refused;
      arrived += p.take();
    }
  }
  for (std::string more = p.take(); !more.empty(); more = p.take())
    arrived += more;
  BOOST_TEST(refused > 0);
  BOOST_TEST((arrived == sent));
}

BOOST_AUTO_TEST_CASE(send_to_a_closed_socket_fails) {
  pair p(SOCK_STREAM);
  p.theirs = unique_descriptor();
  BOOST_TEST(p.send("1234", true) == 4);
  BOOST_TEST(p.send("request") == -1);
  BOOST_TEST(errno == EPIPE);
}

BOOST_AUTO_TEST_CASE(short_read_has_drained_the_socket) {
  pair p(SOCK_STREAM);
  BOOST_TEST(p.receive(8) == "EAGAIN");
  BOOST_TEST(!p.transport.is_drained());
  p.give("short");
  BOOST_TEST(p.receive(8) == "short");
  BOOST_TEST(p.transport.is_drained());
  p.give("bytes that have arrived since");
  BOOST_TEST(p.receive(5) == "bytes");
  BOOST_TEST(!p.transport.is_drained());
  BOOST_TEST(p.receive(64) == " that have arrived since");
  BOOST_TEST(p.transport.is_drained());
  BOOST_TEST(p.receive(64) == "EAGAIN");
  BOOST_TEST(!p.transport.is_drained());
  p.theirs = unique_descriptor();
  BOOST_TEST(p.receive(64).empty());
  BOOST_TEST(!p.transport.is_drained());
}

BOOST_AUTO_TEST_SUITE_END()
