#include <zklock/testing/relay.hpp>

#include "canned_server.hpp"
#include "scripted_server.hpp"
#include "support/frame_relay.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::errc;

namespace {

// In KiB: the largest size so far.
long address_space() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmPeak:") {
      long size = 0;
      status >> size;
      return size;
    }
  }
  return 0;
}

constexpr auto unused_port = "127.0.0.1:1";

} // namespace

BOOST_AUTO_TEST_SUITE(connecting)

BOOST_AUTO_TEST_CASE(new_session_is_made_on_start) {
  asio::io_context io{1};
  user self(io, shared_server().address(), 5s);
  self.start();
  BOOST_TEST((self.session->timeout() == 5s));
  BOOST_TEST(!self.session->connected());
  BOOST_TEST(self.session->id() == 0);
  BOOST_TEST((self.session->connect_error() == errc::not_connected));
  BOOST_TEST(self.connected == 0);
  self.wait_connected();
  BOOST_TEST(self.new_sessions == 1);
  BOOST_TEST(self.session->connected());
  BOOST_TEST(self.session->id() != 0);
  BOOST_TEST((self.granted == 5s));
  BOOST_TEST(self.logged("connected to " + shared_server().address()));
}

BOOST_AUTO_TEST_CASE(session_timeout_is_granted_by_the_servers) {
  asio::io_context io{1};
  user self(io, shared_server().address(), 100ms);
  self.start();
  self.wait_connected();
  BOOST_TEST((self.granted == 1s));
  BOOST_TEST((self.session->timeout() == 1s));
}

BOOST_AUTO_TEST_CASE(refused_address_is_skipped_for_a_good_one) {
  for (int i = 0; i < 8; ++i) {
    asio::io_context io{1};
    user self(io, std::string(unused_port) + ',' + shared_server().address());
    self.start();
    self.wait(
        "connected", [&] { return self.connected == 1; }, 2s);
  }
}

BOOST_AUTO_TEST_CASE(server_that_starts_later_is_found) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait("an attempt", [&] { return self.logged("could not connect to " + door.address()); });
  BOOST_TEST((self.session->connect_error() == errc::not_connected));
  door.accept();
  self.wait(
      "connected", [&] { return self.connected == 1; }, 3s);
}

BOOST_AUTO_TEST_CASE(silent_server_beside_a_good_one_costs_a_part_of_the_timeout) {
  testing::relay silent(shared_server().direct_address());
  silent.silence();
  for (int i = 0; i < 4; ++i) {
    asio::io_context io{1};
    user self(io, silent.address() + ',' + shared_server().address(), 3s);
    self.start();
    self.wait(
        "connected", [&] { return self.connected == 1; }, 2s);
  }
}

BOOST_AUTO_TEST_CASE(silent_server_costs_ten_seconds_at_most) {
  testing::relay silent(shared_server().direct_address());
  silent.silence();
  asio::io_context io{1};
  // The first address to be tried is random.
  std::deque<user> users;
  for (int i = 0; i < 8; ++i)
    users.emplace_back(io, silent.address() + ',' + shared_server().address(), 300s).start();
  users.front().wait("all are connected", [&] {
    return std::all_of(users.begin(), users.end(), [](const user& u) { return u.connected == 1; });
  });
}

BOOST_AUTO_TEST_CASE(each_outage_is_logged_once) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  const auto count = [&](const std::string& part) {
    return std::count_if(self.log.begin(), self.log.end(),
                         [&](const std::string& line) { return line.find(part) != line.npos; });
  };
  for (int outage = 1; outage <= 2; ++outage) {
    self.wait_connected(outage);
    // An outage within a second of the last outage continues it.
    io.restart();
    io.run_for(1100ms);
    door.refuse();
    self.wait("a failure",
              [&] { return count("could not connect to " + door.address()) >= outage; });
    door.accept();
  }
  self.wait_connected(3);
  BOOST_TEST(count("lost the connection to " + door.address()) == 2);
  BOOST_TEST(count("could not connect to " + door.address()) == 2);
}

BOOST_AUTO_TEST_CASE(answer_that_arrived_while_the_program_was_busy_counts) {
  // The program is busy for longer than a server is waited for: after the request, and before it.
  for (const bool asked : {true, false}) {
    testing::relay door(shared_server().direct_address());
    asio::io_context io{1};
    user self(io, door.address(), 3s);
    if (asked) door.silence(testing::direction::to_client);
    self.start();
    if (asked) {
      self.wait("asked", [&] { return door.requests(testing::operation::connect) == 1; });
      door.heal();
    } else {
      door.wait_for_connections(1);
    }
    testing::raw_client clock(shared_server().address());
    BOOST_TEST(!clock.next_event(1500ms).has_value());
    self.wait_connected();
    BOOST_TEST(!self.logged("no answer"));
    BOOST_TEST(door.accepted() == 1);
  }
}

BOOST_AUTO_TEST_CASE(host_name_is_resolved) {
  asio::io_context io{1};
  user self(io, "localhost:" + std::to_string(shared_server().port()));
  self.start();
  self.wait_connected();
}

BOOST_AUTO_TEST_CASE(unresolvable_name_is_skipped_for_a_good_one) {
  asio::io_context io{1};
  user self(io, "no-such-host.invalid:2181,127.0.0.1:" + std::to_string(shared_server().port()));
  self.start();
  self.wait_connected();
  self.wait("a warning", [&] { return self.logged("cannot resolve no-such-host.invalid: "); });
}

BOOST_AUTO_TEST_CASE(start_with_only_unresolvable_names_reports_not_connected) {
  asio::io_context io{1};
  user self(io, "no-such-host.invalid:2181");
  self.start();
  self.wait("a try", [&] { return self.logged("cannot resolve no-such-host.invalid: "); });
  BOOST_TEST((self.session->connect_error() == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(ipv6_address_is_connected_to) {
  asio::io_context io{1};
  boost::system::error_code error;
  tcp::acceptor probe(io);
  probe.open(tcp::v6(), error);
  if (!error) probe.bind({asio::ip::address_v6::loopback(), 0}, error);
  if (error) {
    BOOST_TEST_MESSAGE("no IPv6 here: " << error.message());
    return;
  }
  frame_relay door(
      io, shared_server().port(), [](passing_frame&) { return std::nullopt; },
      asio::ip::address_v6::loopback());
  user self(io, door.address());
  self.start();
  self.wait_connected();
  BOOST_TEST(self.logged("connected to " + door.address()));
  BOOST_TEST((self.close() == zklock::error_code{}));
}

BOOST_AUTO_TEST_CASE(answer_of_another_protocol_is_reported_as_not_zookeeper) {
  const std::string alert("\x15\x03\x03\x00\x02\x02\x46", 7);
  const std::string answers[] = {
      "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" +
          std::string(200, 'x'),
      "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u2\r\n",
      "-ERR\r\n",
      alert,
      // As if the rest of a frame of 2 GiB were about to follow.
      std::string("\x7f\xff\xff\xff", 4) + std::string(100, '\0'),
      "\x01",
  };
  for (const auto& answer : answers) {
    asio::io_context io{1};
    canned_server server(io, answer);
    user self(io, server.address());
    const auto before = address_space();
    self.start();
    self.wait(
        "found out", [&] { return self.session->connect_error() == errc::not_zookeeper; }, 1s);
    self.wait("tried again", [&] { return server.clients() >= 3; });
    const std::string why = answer == alert ? "it speaks TLS at this port: set client_options::tls"
                                            : "it does not speak ZooKeeper's protocol";
    const std::vector<std::string> once{"could not connect to " + server.address() + ": " + why};
    BOOST_TEST(self.log == once, boost::test_tools::per_element());
    BOOST_TEST(self.connected == 0);
    BOOST_TEST(address_space() - before < 200 * 1024);
  }
}

BOOST_AUTO_TEST_CASE(answer_that_breaks_off_is_reported_as_not_connected) {
  for (const auto& answer : {std::string("\0\0", 2), std::string("\0\0\0\x25\0\0\0\0", 8)}) {
    asio::io_context io{1};
    canned_server server(io, answer);
    user self(io, server.address(), 1500ms);
    self.start();
    const auto handlers = self.wait(
        "given up", [&] { return self.logged("no answer"); }, 3s);
    BOOST_TEST(handlers < 30);
    BOOST_TEST((self.session->connect_error() == errc::not_connected));
  }
}

BOOST_AUTO_TEST_CASE(trouble_is_that_of_the_last_attempt) {
  asio::io_context io{1};
  std::optional<canned_server> server(std::in_place, io, "HTTP/1.1 400 Bad Request\r\n\r\n");
  user self(io, server->address());
  self.start();
  self.wait("found out", [&] { return self.session->connect_error() == errc::not_zookeeper; });
  self.wait("tried again", [&] { return server->clients() >= 3; });
  testing::relay door(shared_server().direct_address());
  door.refuse();
  user other(io, server->address() + ',' + door.address());
  other.start();
  bool seen[2] = {};
  other.wait("both", [&] {
    seen[other.session->connect_error() == errc::not_zookeeper] = true;
    return seen[0] && seen[1];
  });
  door.accept();
  other.wait_connected();
  BOOST_TEST((other.session->connect_error() == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(credentials_apply_to_each_connection) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.options.credentials = {{"digest", "alice:secret"}, {"digest", "team:word"}};
  self.options.access_list = {{31, "auth", ""}};
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  self.enter(directory);

  testing::raw_client foreign(shared_server().address());
  BOOST_CHECK_THROW(foreign.children(directory), testing::server_error);
  foreign.add_auth("digest", "team:word");
  BOOST_TEST(foreign.children(directory).size() == 1);

  door.cut();
  self.wait_connected(2);
  BOOST_TEST(self.new_sessions == 1);
  self.enter(directory);
  BOOST_TEST(foreign.children(directory).size() == 2);
}

BOOST_AUTO_TEST_CASE(refused_credentials_end_the_session) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.options.credentials = {{"no-such-scheme", "secret"}};
  self.start();
  self.wait("failed", [&] { return self.failure.has_value(); });
  BOOST_TEST((*self.failure == errc::authentication_failed));
  BOOST_TEST(self.disconnected == self.connected);
  BOOST_TEST(!self.session->connected());
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
  BOOST_TEST((self.close() == errc::not_connected));
}

// Once, and not for each connection.
BOOST_AUTO_TEST_CASE(another_session_timeout_than_was_asked_for_is_logged_once) {
  asio::io_context io{1};
  scripted_server server(io, [](int index, std::string_view) -> std::optional<std::string> {
    if (index == 0) return handshake(20'000);
    return std::nullopt;
  });
  user self(io, server.address(), 15s);
  self.start();
  for (int i = 1; i <= 3; ++i) {
    self.wait_connected(i);
    self.session->send(zookeeper::confirm{}, self, {1, 0});
    self.wait_disconnected(i);
  }
  const auto tells = [](const std::string& line) {
    return line.find("granted a session timeout of 20000 ms instead of 15000 ms: their tickTime "
                     "is probably 10000 ms") != line.npos;
  };
  BOOST_TEST(std::count_if(self.log.begin(), self.log.end(), tells) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
