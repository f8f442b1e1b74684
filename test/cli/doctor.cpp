// zklock doctor, as a user runs it.
#include <zklock/testing/ensemble.hpp>
#include <zklock/testing/relay.hpp>

#include "cli/users.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::test;

namespace json = boost::json;

namespace {

// Its own answers are not ZooKeeper's frames, which the relay passes.
outcome examine(std::vector<std::string> more, const std::string& servers) {
  std::vector<std::string> arguments{"doctor", "--servers", servers, "--cycles", "5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_zklock(arguments);
}

std::string state_of(const json::value& all, const std::string& check) {
  for (const auto& each : all.at("checks").as_array())
    if (each.at("name").as_string() == check) return std::string(each.at("state").as_string());
  return "missing";
}

} // namespace

BOOST_AUTO_TEST_SUITE(command_doctor, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(healthy_server_is_measured) {
  const auto servers = shared_server().direct_address();
  const auto done = examine({}, servers);
  BOOST_TEST(done.status == 0);
  BOOST_TEST(done.errors == "");
  BOOST_TEST(done.says(servers + "  standalone  3."));
  const auto found = examine({"--json"}, servers);
  BOOST_TEST(found.status == 0);
  const auto all = json::parse(found.out);
  BOOST_TEST(all.at("healthy").as_bool());
  BOOST_TEST(all.at("session").at("granted_ms").to_number<int>() == 15'000);
  BOOST_TEST(all.at("session").at("shortest_ms").to_number<int>() == 1'000);
  BOOST_TEST(all.at("session").at("longest_ms").to_number<int>() ==
             longest_session_timeout.count());
  BOOST_TEST(all.at("session").at("tick_ms").to_number<int>() == 500);
  BOOST_TEST(all.at("lock").at("cycles").to_number<int>() == 5);
  BOOST_TEST(all.at("lock").at("median_ms").to_number<double>() > 0);
  BOOST_TEST(all.at("lock").at("p99_ms").to_number<double>() >=
             all.at("lock").at("median_ms").to_number<double>());
  for (const auto& each : all.at("checks").as_array())
    BOOST_TEST(each.at("state").as_string() == "ok");
}

BOOST_AUTO_TEST_CASE(blanks_around_a_server_are_ignored) {
  const auto done = examine({}, "127.0.0.1:1 , " + shared_server().direct_address() + " ");
  BOOST_TEST(done.says("1 of 2 grant a session"), done.out);
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_the_measurement) {
  BOOST_TEST(examine({"--path", "/doctors"}, shared_server().direct_address()).status == 0);
  testing::raw_client witness(shared_server().direct_address());
  // The servers delete the empty container.
  BOOST_TEST(entries(witness, "/doctors") == 0u);
}

BOOST_AUTO_TEST_CASE(settings_that_the_servers_do_not_grant_are_a_problem) {
  const auto servers = shared_server().direct_address();
  const auto longer = examine({"--session-timeout", "7200s", "--json"}, servers);
  BOOST_TEST(longer.status == 1);
  BOOST_TEST(state_of(json::parse(longer.out), "session") == "problem");
  const auto tick = examine({"--server-tick", "100ms", "--json"}, servers);
  BOOST_TEST(tick.status == 1);
  BOOST_TEST(state_of(json::parse(tick.out), "tick") == "problem");
  const auto impossible = examine({"--session-timeout", "3s"}, servers);
  BOOST_TEST(impossible.status == 64);
  BOOST_TEST(impossible.errors.find("session_timeout") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(missing_server_of_an_ensemble_is_named) {
  testing::ensemble servers(3);
  std::string list;
  for (std::size_t i = 0; i < 3; ++i)
    list += (i == 0 ? "" : ",") + servers[i].direct_address();
  const auto whole = examine({"--json"}, list);
  BOOST_TEST(whole.status == 0);
  const auto all = json::parse(whole.out);
  BOOST_TEST(state_of(all, "quorum") == "ok");
  int leaders = 0;
  for (const auto& each : all.at("servers").as_array())
    leaders += each.at("mode").as_string() == "leader";
  BOOST_TEST(leaders == 1);

  servers[0].kill();
  servers.wait_until_serving();
  const auto part = examine({"--json"}, list);
  BOOST_TEST(part.status == 1);
  const auto rest = json::parse(part.out);
  BOOST_TEST(state_of(rest, "servers") == "problem");
  BOOST_TEST(state_of(rest, "lock") == "ok");
  BOOST_TEST(rest.at("servers").at(0).at("problem").as_string() == "Connection refused");
}

BOOST_AUTO_TEST_CASE(servers_are_asked_at_once) {
  testing::relay first(shared_server().direct_address(), {.frames = false});
  testing::relay second(shared_server().direct_address(), {.frames = false});
  first.silence();
  second.silence();
  command asking({"doctor", "--servers", first.address() + ',' + second.address(), "--cycles", "5",
                  "--connect-timeout", "5m"});
  first.wait_for_connections(1);
  second.wait_for_connections(1);
  BOOST_TEST(!asking.process().has_ended());
  first.heal();
  second.heal();
  const auto lines = asking.read_all();
  // Two servers that stand alone.
  BOOST_TEST(asking.wait() == 1);
  BOOST_TEST(std::ranges::count(lines, "servers  ok       2 of 2 grant a session") == 1);
}

BOOST_AUTO_TEST_CASE(measurement_leaves_bad_servers_out) {
  testing::relay silent(shared_server().direct_address(), {.frames = false});
  silent.silence();
  const auto list = silent.address() + ',' + shared_server().direct_address();
  command asking({"doctor", "--servers", list, "--cycles", "5", "--connect-timeout", "500ms",
                  "--session-timeout", "40s", "--json"});
  const auto all = json::parse(asking.read_line());
  BOOST_TEST(asking.wait() == 1);
  BOOST_TEST(state_of(all, "servers") == "problem");
  BOOST_TEST(state_of(all, "lock") == "ok");
  // The question alone.
  BOOST_TEST(silent.accepted() == 1u);
}

BOOST_AUTO_TEST_CASE(no_server_is_a_problem) {
  const auto failed = examine({"--connect-timeout", "1s", "--json"}, "127.0.0.1:1");
  BOOST_TEST(failed.status == 1);
  const auto all = json::parse(failed.out);
  BOOST_TEST(!all.at("healthy").as_bool());
  BOOST_TEST(state_of(all, "servers") == "problem");
  BOOST_TEST(state_of(all, "lock") == "problem");
  BOOST_TEST(all.at("lock").is_null());
}

BOOST_AUTO_TEST_SUITE_END()
