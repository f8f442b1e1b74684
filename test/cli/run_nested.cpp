// Runs inside of runs.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

/// Returns the options and the path of a run, with a run as its command.
std::vector<std::string> nested(std::vector<std::string> outer,
                                const std::vector<std::string>& inner) {
  outer.emplace_back(ZKLOCK_COMMAND);
  const auto rest = run_arguments(inner);
  outer.insert(outer.end(), rest.begin(), rest.end());
  return outer;
}

} // namespace

BOOST_AUTO_TEST_SUITE(run_nested, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(run_of_the_same_path_is_refused) {
  const observed_lock lock;
  auto outer = start_run(nested({lock.path}, {lock.path, "echo", "ran"}));
  BOOST_TEST(outer.wait() == 64);
  BOOST_TEST(outer.says("deadlock: an outer zklock run holds " + lock.path), outer.errors());
  BOOST_TEST(outer.read_all().empty());
}

BOOST_AUTO_TEST_CASE(run_of_the_same_path_is_refused_two_levels_below) {
  const observed_lock lock, other;
  BOOST_TEST(start_run(nested({lock.path}, nested({other.path}, {lock.path, "true"}))).wait() ==
             64);
}

BOOST_AUTO_TEST_CASE(inner_run_describes_its_own_hold) {
  const observed_lock lock, other;
  auto outer = start_run(nested({lock.path}, {other.path, "sh", "-c", "echo $ZKLOCK_PATH"}));
  BOOST_TEST(outer.read_line() == other.path);
  BOOST_TEST(outer.wait() == 0);
}

BOOST_AUTO_TEST_CASE(readers_nest_unless_a_writer_waits) {
  observed_lock lock;
  BOOST_TEST(start_run(nested({"-s", lock.path}, {"-s", lock.path, "true"})).wait() == 0);
  BOOST_TEST(start_run(nested({"-s", lock.path}, {"-x", lock.path, "true"})).wait() == 64);

  const auto inner = run_arguments({"-s", lock.path, "true"});
  std::string text = "echo held; read line; exec " ZKLOCK_COMMAND;
  for (const auto& each : inner)
    text += " '" + each + "'";
  auto outer = start_run({"-s", lock.path, "sh", "-c", text});
  outer.read_line();
  auto writer = start_run({"-x", lock.path, "true"});
  lock.wait_for_entries(2);
  outer.process().write_line("");
  BOOST_TEST(outer.wait() == 64);
  BOOST_TEST(writer.wait() == 0);
}

BOOST_AUTO_TEST_CASE(permits_nest_as_long_as_there_are_enough) {
  const observed_lock lock;
  const std::vector<std::string> one{"--limit", "2", lock.path};
  BOOST_TEST(start_run(nested(one, {"--limit", "2", lock.path, "true"})).wait() == 0);
  BOOST_TEST(start_run(nested(one, {"--limit", "2", "--permits", "2", lock.path, "true"})).wait() ==
             64);
}

BOOST_AUTO_TEST_CASE(try_inside_of_the_same_path_finds_it_taken) {
  const observed_lock lock;
  BOOST_TEST(start_run(nested({lock.path}, {"-n", "-E", "9", lock.path, "true"})).wait() == 9);
}

BOOST_AUTO_TEST_SUITE_END()
