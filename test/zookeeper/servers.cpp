#include <zklock/error.hpp>

#include "zookeeper/server_list.hpp"

#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

using zklock::zookeeper::parse_server_list;

BOOST_AUTO_TEST_SUITE(servers)

BOOST_AUTO_TEST_CASE(single_server_is_parsed) {
  const auto list = parse_server_list("zk1:2181");
  BOOST_REQUIRE_EQUAL(list.servers.size(), 1);
  BOOST_TEST(list.servers[0].host == "zk1");
  BOOST_TEST(list.servers[0].port == 2181);
  BOOST_TEST(list.chroot.empty());
}

BOOST_AUTO_TEST_CASE(list_with_blanks_and_a_chroot_is_parsed) {
  const auto list = parse_server_list(" zk1:1 ,\t127.0.0.1:65535, [fe80::1]:2181 /some/where ");
  BOOST_REQUIRE_EQUAL(list.servers.size(), 3);
  BOOST_TEST(list.servers[1].host == "127.0.0.1");
  BOOST_TEST(list.servers[1].port == 65535);
  BOOST_TEST(list.servers[2].host == "fe80::1");
  BOOST_TEST(list.chroot == "/some/where");
}

BOOST_AUTO_TEST_CASE(slash_alone_is_no_chroot) {
  BOOST_TEST(parse_server_list("zk1:2181/").chroot.empty());
}

BOOST_AUTO_TEST_CASE(chroot_behind_each_server_is_refused_with_a_hint) {
  for (const std::string text :
       {"zk1:2181/a,zk2:2181/a", "zk1:2181/a,zk2:2181", "zk1:2181/a, zk2:2181 ,zk3:2181/a",
        "zk1:2181/,zk2:2181/", "zk1:2181/a/b,[::1]:2181/a/b", "zk1:2181,zk2:2181/a,zk3:2181/a"}) {
    const auto is_hint = [](const boost::system::system_error& e) {
      return std::string(e.what()).find("the chroot stands once, behind the last server") !=
             std::string::npos;
    };
    BOOST_TEST_CONTEXT(text)
    BOOST_CHECK_EXCEPTION(parse_server_list(text), boost::system::system_error, is_hint);
  }
}

BOOST_AUTO_TEST_CASE(chroot_with_commas_and_colons_is_no_server) {
  for (const std::string path : {"/a,b", "/a,b:", "/a,b:c1", "/a,b/c:1", "/a:1,b"})
    BOOST_TEST(parse_server_list("zk1:2181" + path).chroot == path);
}

BOOST_AUTO_TEST_CASE(bad_list_is_refused_with_its_fault) {
  const std::string bad[] = {
      "",
      ",",
      "zk1",
      "zk1:2181,",
      "zk1:2181,,zk2:2181",
      ":2181",
      "zk1:",
      "zk1:0",
      "zk1:65536",
      "zk1:-1",
      "zk1:+1",
      "zk1:2181x",
      "zk1:0x885",
      "::1:2181",
      "[::1]",
      "[::1:2181",
      "[zk1]:2181",
      "[]:2181",
      "zk 1:2181",
      "zk1 :2181",
      "/chroot",
      "zk1:2181/a/",
      "zk1:2181//a",
      "zk1:2181/a//b",
      "zk1:2181/.",
      "zk1:1/a/.",
      "zk1:1/../a",
      "zk1:1/a/../b",
      "zk1:2181/a,zk2:2181/b/..",
  };
  for (const auto& text : bad) {
    BOOST_TEST_CONTEXT(text) {
      try {
        parse_server_list(text);
        BOOST_ERROR("was taken");
      } catch (const boost::system::system_error& error) {
        BOOST_TEST((error.code() == zklock::errc::bad_servers));
        BOOST_TEST(std::string(error.what()).find(text) != std::string::npos);
      }
    }
  }
}

// A zero would cut a host or an address, and a line break would forge a line of the log.
BOOST_AUTO_TEST_CASE(list_with_a_character_that_no_name_has_is_refused_with_its_code) {
  using namespace std::string_literals;
  const std::pair<std::string, std::string> bad[] = {
      {"zk1\0.example:2181"s, "\"zk1\\x00.example\" must not have a control character"},
      {"zk1\nerror:2181"s, "\"zk1\\x0aerror\" must not have a control character"},
      {"[::1\0x]:2181"s, "must not have a control character"},
      {"zk1:2181/a\x01"s, "\"/a\\x01\" must not have a character that ZooKeeper refuses"},
      {"zk1:2181/a\xff"s, "\"/a\\xff\" must be UTF-8"},
      {"zk1:2181/\xef\xbf\xbf"s, "must not have a character that ZooKeeper refuses"},
  };
  for (const auto& each : bad) {
    const auto names_fault = [&each](const boost::system::system_error& error) {
      return std::string(error.what()).find(each.second) != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(parse_server_list(each.first), boost::system::system_error, names_fault);
  }
}

BOOST_AUTO_TEST_CASE(ipv6_address_without_brackets_is_refused_with_the_right_form) {
  try {
    parse_server_list("::1:2181");
    BOOST_ERROR("was accepted");
  } catch (const boost::system::system_error& error) {
    BOOST_TEST(std::string(error.what()).find("[::1]:2181") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
