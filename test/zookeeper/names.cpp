#include <zklock/testing/authority.hpp>
#include <zklock/testing/relay.hpp>

#include "canned_server.hpp"
#include "host_table.hpp"
#include "user.hpp"
#include "zookeeper/resolver.hpp"
#include "zookeeper/rotating_tls.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <deque>

using namespace zklock::test;
namespace testing = zklock::testing;

BOOST_AUTO_TEST_SUITE(names)

BOOST_AUTO_TEST_CASE(numeric_address_is_tried_while_a_name_is_looked_up) {
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("slow.test", {.held = true});
  user self(io, "slow.test:1," + shared_server().address(), 300s);
  self.start();
  self.wait_connected();
}

BOOST_AUTO_TEST_CASE(earlier_address_is_tried_while_a_name_is_looked_up) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("zk.test", {.address = "127.0.0.1"});
  user self(io, with_port("zk.test", door.port()), 10s);
  self.start();
  self.wait_connected();
  hosts.table.set("zk.test", {.held = true});
  door.cut();
  self.wait_connected(2);
  BOOST_TEST(self.new_sessions == 1);
  self.wait("asked again", [&] { return hosts.asked("zk.test") == 2; });
}

BOOST_AUTO_TEST_CASE(slow_name_does_not_starve_the_names_behind_it) {
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("dead.test", {.time = 2s});
  hosts.table.set("alive.test", {.address = "127.0.0.1"});
  user self(io, "dead.test:1," + with_port("alive.test", shared_server().port()), 1500ms);
  self.start();
  self.wait_connected();
  BOOST_TEST(self.logged("cannot resolve dead.test: "));
}

BOOST_AUTO_TEST_CASE(name_being_looked_up_is_not_looked_up_again) {
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("slow.test", {.held = true});
  canned_server server(io, "HTTP/1.1 400 Bad Request\r\n\r\n");
  user self(io, "slow.test:1," + server.address());
  self.start();
  self.wait("several rounds", [&] { return server.clients() >= 6; });
  hosts.table.set("slow.test", {});
  self.wait("answered and asked again", [&] { return hosts.asked("slow.test") >= 2; });
  BOOST_TEST(std::count_if(self.log.begin(), self.log.end(), [](const std::string& line) {
               return line.find("cannot resolve slow.test: ") != line.npos;
             }) == 1);
}

BOOST_AUTO_TEST_CASE(address_found_during_a_round_is_tried_in_it) {
  testing::relay silent(shared_server().direct_address());
  silent.silence();
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("slow.test", {.address = "127.0.0.1", .held = true});
  user self(io, silent.address() + ',' + with_port("slow.test", shared_server().port()), 3s);
  self.start();
  self.wait("an attempt", [&] { return silent.accepted() == 1; });
  hosts.table.set("slow.test", {.address = "127.0.0.1"});
  self.wait_connected();
  BOOST_TEST(silent.accepted() == 1u);
}

BOOST_AUTO_TEST_CASE(address_found_between_rounds_is_tried_at_once) {
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("slow.test", {.address = "127.0.0.1", .held = true});
  canned_server server(io, "HTTP/1.1 400 Bad Request\r\n\r\n");
  user self(io, server.address() + ',' + with_port("slow.test", shared_server().port()));
  self.start();
  self.wait("several rounds", [&] { return server.clients() >= 3; });
  hosts.table.set("slow.test", {.address = "127.0.0.1"});
  self.wait_connected();
  BOOST_TEST(self.new_sessions == 1);
}

BOOST_AUTO_TEST_CASE(name_that_moved_is_found) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  own_names hosts;
  // Nothing listens at the second address.
  hosts.table.set("zk.test", {.address = "127.0.0.1"});
  user self(io, with_port("zk.test", door.port()));
  self.start();
  self.wait_connected();
  hosts.table.set("zk.test", {.address = "127.0.0.2"});
  door.refuse();
  self.wait("its new address was tried", [&] { return self.logged("127.0.0.2"); });
  door.accept();
  hosts.table.set("zk.test", {.address = "127.0.0.1"});
  self.wait_connected(2);
}

BOOST_AUTO_TEST_CASE(fast_name_is_looked_up_before_a_slow_one) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("slow.test", {.address = "127.0.0.1", .time = 300ms});
  hosts.table.set("fast.test", {.address = "127.0.0.1"});
  user self(io, with_port("slow.test", door.port()) + ',' + with_port("fast.test", door.port()));
  self.start();
  self.wait_connected();
  self.wait("both asked", [&] { return hosts.table.asked().size() == 2; });
  // The answer follows soon; a loss before it would still find the look-up in progress.
  user other(io, with_port("fast.test", shared_server().port()));
  other.start();
  other.wait_connected();
  door.cut();
  self.wait_connected(2);
  self.wait("both asked again", [&] { return hosts.asked("slow.test") == 2; });
  const auto asked = hosts.table.asked();
  const auto second = std::find(asked.begin() + 1, asked.end(), "slow.test");
  BOOST_TEST(std::count(asked.begin(), second, "fast.test") >= 3);
}

BOOST_AUTO_TEST_CASE(slow_name_is_logged_once) {
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("slow.test", {.held = true});
  user self(io, "slow.test:1");
  self.start();
  self.wait("a warning", [&] { return self.logged("slow.test is not resolved yet"); });
  BOOST_TEST(self.log.size() == 1u);
  BOOST_TEST(hosts.asked("slow.test") == 1);
}

BOOST_AUTO_TEST_CASE(close_does_not_wait_for_queued_names) {
  asio::io_context io{1};
  own_names hosts;
  hosts.table.set("slow.test", {.held = true});
  hosts.table.set("other.test", {.held = true});
  user self(io, std::string("slow.test:1,other.test:1,") + nowhere);
  self.start();
  self.wait("asked", [&] { return hosts.asked("slow.test") == 1; });
  self.close();
  hosts.table.set("slow.test", {});
  io.restart();
  io.run_for(30s);
  BOOST_TEST(io.stopped());
  BOOST_TEST(hosts.asked("other.test") == 0);
}

BOOST_AUTO_TEST_CASE(address_has_the_hosts_of_the_list_that_were_resolved_to_it) {
  asio::io_context io{1};
  zklock::zookeeper::logger log{{}};
  const zookeeper::strand strand(asio::any_io_executor(io.get_executor()));
  const auto servers = zookeeper::parse_server_list("10.0.0.1:1,zk.test:1,[fd00::1]:1").servers;
  const zookeeper::resolver hosts(strand, servers, log);
  const auto at = [](const char* address) {
    return zookeeper::endpoint(asio::ip::make_address(address), 1);
  };
  using names = std::vector<std::string>;
  BOOST_TEST(hosts.hosts_of(at("10.0.0.1")) == names{"10.0.0.1"}, boost::test_tools::per_element());
  BOOST_TEST(hosts.hosts_of(at("fd00::1")) == names{"fd00::1"}, boost::test_tools::per_element());
  BOOST_TEST(hosts.hosts_of(at("10.0.0.9")) == (names{"10.0.0.1", "zk.test", "fd00::1"}),
             boost::test_tools::per_element());
}

#ifdef ZKLOCK_TEST_TLS

BOOST_AUTO_TEST_CASE(certificate_is_for_any_name_of_the_server_s_address) {
  testing::authority authority;
  const auto files = authority.issue({.hosts = {"zk2.test"}});
  testing::server server({.tls = testing::server_tls{.certificate = files.both,
                                                     .authorities = authority.certificate()}});
  own_names hosts;
  for (const char* name : {"zk1.test", "zk2.test", "zk2.test."})
    hosts.table.set(name, {.address = "127.0.0.1"});
  const auto port = server.secure_clients().port();
  const auto expect = [&](const std::string& servers, bool accepted) {
    asio::io_context io{1};
    user self(io, servers, 2s);
    self.options.tls = std::make_shared<zookeeper::rotating_tls>(zklock::tls_options{
        .authorities = {.file = authority.certificate()}, .certificate = {.file = files.both}});
    self.start();
    // A name may be tried before the other name of its address is known.
    if (accepted)
      self.wait_connected();
    else
      self.wait("refused", [&] { return self.logged("is for zk2.test, not for zk1.test"); });
  };
  expect(with_port("zk2.test", port), true);
  expect(with_port("zk2.test.", port), true);
  expect(with_port("zk1.test", port) + ',' + with_port("zk2.test", port), true);
  expect(with_port("zk1.test", port), false);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
