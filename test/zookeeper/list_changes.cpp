// A session whose list of servers changes.
#include <zklock/testing/relay.hpp>

#include "host_table.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace zklock::test;
namespace testing = zklock::testing;

namespace {

/// Two addresses of the server, and a user of the session.
struct two_doors {
  explicit two_doors(const std::string& first = {})
      : self(io, first.empty() ? a.address() : first) {}

  void set_servers(const std::string& list) {
    self.session->set_servers(zookeeper::parse_server_list(list, {}));
  }

  /// Waits until the session has moved to a door, for the first time.
  void expect_move(const testing::relay& to) {
    const auto session = self.session->id();
    self.wait_connected(2);
    BOOST_TEST(self.disconnected == 1);
    BOOST_TEST(self.new_sessions == 1);
    BOOST_TEST(self.session->id() == session);
    BOOST_TEST(to.connections() == 1u);
    BOOST_TEST(self.logged("connected to " + to.address()));
  }

  /// Waits for a round trip on the first connection.
  void expect_no_move() {
    self.answers.clear();
    self.session->send(zookeeper::confirm{}, self, {1, 0});
    self.wait_answer(1);
    BOOST_TEST(self.connected == 1);
    BOOST_TEST(self.disconnected == 0);
    BOOST_TEST(a.accepted() == 1u);
    BOOST_TEST(b.accepted() == 0u);
    BOOST_TEST(!self.logged("leaving"));
  }

  /// Waits until a name without an address is looked up, and so all earlier names.
  void expect_looked_up(const std::string& name) {
    user other(io, name + ":1");
    other.start();
    other.wait("looked up", [&] { return other.logged("cannot resolve " + name); });
  }

  long logged(std::string_view line) const {
    return std::count(self.log.begin(), self.log.end(), line);
  }

  testing::relay a{shared_server().direct_address()};
  testing::relay b{shared_server().direct_address()};
  asio::io_context io{1};
  own_names hosts;
  user self;
};

} // namespace

BOOST_AUTO_TEST_SUITE(list_changes)

BOOST_AUTO_TEST_CASE(connection_to_a_server_that_stays_is_kept) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  s.set_servers(s.b.address() + ",[::1]:7," + s.a.address());
  s.set_servers(s.a.address());
  s.set_servers(s.a.address());
  s.expect_no_move();
  BOOST_TEST(s.logged("the list of servers has changed servers=" + s.b.address() + ",[::1]:7," +
                      s.a.address()) == 1);
  BOOST_TEST(s.logged("the list of servers has changed servers=" + s.a.address()) == 1);
}

BOOST_AUTO_TEST_CASE(session_moves_at_once_from_a_server_that_goes) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  const auto directory = s.self.make_directory();
  const auto entry = s.self.enter(directory);
  s.set_servers(s.b.address());
  BOOST_TEST(s.self.disconnected == 1);
  BOOST_TEST(s.self.logged("leaving " + s.a.address() +
                           ", which is not in the list of servers server=" + s.a.address() +
                           " session=0x"));
  s.expect_move(s.b);
  s.a.wait_for_connections(0);
  testing::raw_client witness(shared_server().address());
  BOOST_TEST(witness.exists(entry).has_value());
  s.b.cut();
  s.self.wait_connected(3);
  BOOST_TEST(s.a.accepted() == 1u);
}

// Without waiting for the time limit of its server.
BOOST_AUTO_TEST_CASE(attempt_at_a_server_that_goes_is_given_up) {
  two_doors s;
  s.a.silence();
  s.self.start();
  s.self.wait("an attempt", [&] { return s.a.accepted() == 1; });
  s.set_servers(s.b.address());
  s.self.wait_connected();
  BOOST_TEST(s.self.new_sessions == 1);
  BOOST_TEST(!s.self.logged("could not connect"));
}

BOOST_AUTO_TEST_CASE(attempt_at_a_server_that_stays_goes_on) {
  two_doors s;
  s.a.silence();
  s.self.start();
  s.self.wait("an attempt", [&] { return s.a.accepted() == 1; });
  for (const auto& list : {s.a.address() + ',' + nowhere, s.a.address()})
    s.set_servers(list);
  s.a.heal();
  s.self.wait_connected();
  BOOST_TEST(s.a.accepted() == 1u);
}

BOOST_AUTO_TEST_CASE(new_server_is_tried_beside_an_attempt_that_goes_on) {
  two_doors s;
  s.self.options.timeout = 1500ms;
  s.a.silence();
  s.self.start();
  s.self.wait("an attempt", [&] { return s.a.accepted() == 1; });
  s.set_servers(s.a.address() + ',' + s.b.address());
  s.self.wait_connected();
  BOOST_TEST(s.a.accepted() == 1u);
  BOOST_TEST(s.b.accepted() == 1u);
}

BOOST_AUTO_TEST_CASE(new_server_is_tried_between_two_rounds) {
  two_doors s(nowhere);
  s.self.start();
  s.self.wait("a round", [&] { return s.self.logged("could not connect"); });
  s.set_servers(s.b.address());
  s.self.wait_connected();
}

BOOST_AUTO_TEST_CASE(connection_stays_while_a_new_name_is_looked_up) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  s.hosts.table.set("new.test", {.address = "127.0.0.1", .held = true});
  s.set_servers(s.b.address() + ',' + with_port("new.test", s.a.port()));
  s.expect_no_move();
  s.hosts.table.set("new.test", {.address = "127.0.0.1"});
  s.hosts.table.set("next.test", {});
  s.expect_looked_up("next.test");
  s.expect_no_move();
}

BOOST_AUTO_TEST_CASE(session_moves_once_a_new_name_is_another_server) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  s.hosts.table.set("new.test", {.address = "127.0.0.1", .held = true});
  s.hosts.table.set("unknown.test", {});
  s.set_servers(with_port("new.test", s.b.port()) + ",unknown.test:1");
  s.expect_no_move();
  s.hosts.table.set("new.test", {.address = "127.0.0.1"});
  s.expect_move(s.b);
}

BOOST_AUTO_TEST_CASE(connection_stays_until_a_new_name_is_known) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  s.hosts.table.set("new.test", {});
  s.set_servers(with_port("new.test", s.b.port()));
  s.self.wait("asked again", [&] { return s.hosts.asked("new.test") >= 3; });
  s.expect_no_move();
  s.hosts.table.set("new.test", {.address = "127.0.0.1"});
  s.expect_move(s.b);
}

BOOST_AUTO_TEST_CASE(loss_of_a_connection_ends_the_wait_for_a_new_name) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  s.hosts.table.set("new.test", {.address = "127.0.0.1", .held = true});
  s.set_servers(with_port("new.test", s.b.port()));
  s.a.cut();
  s.self.wait_disconnected();
  s.hosts.table.set("new.test", {.address = "127.0.0.1"});
  s.expect_move(s.b);
  BOOST_TEST(s.hosts.asked("new.test") == 1);
  BOOST_TEST(!s.self.logged("leaving"));
}

BOOST_AUTO_TEST_CASE(last_list_counts) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  s.hosts.table.set("slow.test", {.address = "127.0.0.1", .held = true});
  s.hosts.table.set("dropped.test", {.address = "127.0.0.1"});
  s.set_servers(with_port("slow.test", s.b.port()) + ',' + with_port("dropped.test", s.b.port()));
  s.self.wait("asked", [&] { return s.hosts.asked("slow.test") == 1; });
  s.set_servers(s.a.address());
  s.set_servers(with_port("slow.test", s.a.port()) + ',' + with_port("last.test", s.a.port()));
  s.hosts.table.set("last.test", {.address = "127.0.0.1"});
  s.hosts.table.set("slow.test", {.address = "127.0.0.1"});
  s.self.wait("asked", [&] { return s.hosts.asked("last.test") == 1; });
  s.expect_no_move();
  // The look-up in a queue is cancelled.
  BOOST_TEST(s.hosts.asked("dropped.test") == 0);
}

BOOST_AUTO_TEST_CASE(look_up_of_a_name_that_stays_goes_on) {
  two_doors s(std::string("slow.test:1,") + nowhere);
  s.hosts.table.set("slow.test", {.held = true});
  s.self.start();
  s.self.wait("asked", [&] { return s.hosts.asked("slow.test") == 1; });
  s.set_servers("slow.test:1," + s.a.address());
  s.self.wait_connected();
  s.hosts.table.set("slow.test", {});
  s.hosts.table.set("next.test", {});
  s.expect_looked_up("next.test");
  BOOST_TEST(s.hosts.asked("slow.test") == 1);
}

BOOST_AUTO_TEST_CASE(list_of_a_closed_session_has_no_effect) {
  two_doors s;
  s.self.start();
  s.self.wait_connected();
  s.self.close();
  s.set_servers(s.b.address());
  s.self.session->abandon();
  s.set_servers(s.b.address());
  s.io.restart();
  s.io.run();
  BOOST_TEST(s.b.accepted() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
