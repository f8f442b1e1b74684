// The front process or the holder process of a run is killed.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(run_killed, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(command_ends_and_the_lock_is_released_when_the_process_in_front_is_killed) {
  observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c",
                         "trap 'echo term; exit' TERM; echo $$; "
                         "while :; do sleep 0.05; done"});
  held.read_line();
  held.process().signal(SIGKILL);
  BOOST_TEST(held.wait() == 128 + SIGKILL);
  BOOST_TEST(held.read_line() == "term");
  BOOST_TEST(held.read_all().empty());
  lock.wait_for_entries(0);
}

BOOST_AUTO_TEST_CASE(stubborn_command_is_killed_when_the_process_in_front_is_killed) {
  observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c", stubborn()});
  const auto id = std::stoi(held.read_line());
  auto next = start_run({lock.path, "echo", "ran"});
  lock.wait_for_entries(2);
  held.process().signal(SIGKILL);
  BOOST_TEST(held.read_line() == "term");
  BOOST_TEST(next.read_line() == "ran");
  BOOST_TEST(!is_alive(id));
}

BOOST_AUTO_TEST_CASE(
    command_that_has_ignored_sigterm_is_killed_when_the_process_in_front_is_killed) {
  observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c", stubborn()});
  const auto id = std::stoi(held.read_line());
  held.process().signal(SIGTERM);
  BOOST_TEST(held.read_line() == "term");
  held.process().signal(SIGKILL);
  lock.wait_for_entries(0);
  BOOST_TEST(!is_alive(id));
}

BOOST_AUTO_TEST_CASE(command_ends_before_the_next_grant_when_the_holding_process_is_killed) {
  observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c", stubborn()});
  const auto id = std::stoi(held.read_line());
  auto next = start_run({lock.path, "echo", "ran"});
  lock.wait_for_entries(2);
  ::kill(held.holder(), SIGKILL);
  BOOST_TEST(held.read_line() == "term");
  BOOST_TEST(held.wait() == 75);
  BOOST_TEST(!is_alive(id));
  BOOST_TEST(held.says("was killed by signal 9"), held.errors());
  BOOST_TEST(next.read_line() == "ran");
}

BOOST_AUTO_TEST_CASE(command_gets_sigterm_when_both_processes_are_killed) {
  observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c",
                         "trap 'echo term; exit' TERM; echo $$; "
                         "while :; do sleep 0.05; done"});
  held.read_line();
  const auto holding = held.holder();
  held.process().halt();
  ::kill(holding, SIGKILL);
  held.process().signal(SIGKILL);
  BOOST_TEST(held.read_line() == "term");
}

BOOST_AUTO_TEST_CASE(children_from_before_are_left_alone_when_the_holding_process_is_killed) {
  const observed_lock lock;
  auto arguments = run_arguments({lock.path, "sh", "-c", stubborn()});
  arguments.insert(arguments.begin(),
                   {"sh", "-c", "sleep 1000 & echo $!; exec \"$@\"", "sh", ZKLOCK_COMMAND});
  testing::child_process held({.command = arguments, .piped = true});
  const auto other = std::stoi(held.read_line());
  const auto id = std::stoi(held.read_line());
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string number, name, state;
  pid_t holding = 0;
  file >> number >> name >> state >> holding;
  ::kill(holding, SIGKILL);
  BOOST_TEST(held.wait() == 75);
  BOOST_TEST(!is_alive(id));
  BOOST_TEST(is_alive(other));
  ::kill(other, SIGKILL);
}

BOOST_AUTO_TEST_SUITE_END()
