// Signals while the command runs, and processes that it starts.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(run_signals, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(signal_is_passed_on_to_the_command) {
  for (const std::string name : {"INT", "TERM", "HUP", "QUIT", "USR1", "USR2"}) {
    const observed_lock lock;
    auto held = start_run(
        {lock.path, "sh", "-c",
         "trap 'echo got; exit 9' " + name + "; echo ready; while :; do sleep 0.05; done"});
    held.read_line();
    held.process().signal(name == "INT"    ? SIGINT
                          : name == "TERM" ? SIGTERM
                          : name == "HUP"  ? SIGHUP
                          : name == "QUIT" ? SIGQUIT
                          : name == "USR1" ? SIGUSR1
                                           : SIGUSR2);
    BOOST_TEST(held.read_line() == "got", name);
    BOOST_TEST(held.wait() == 9, name);
  }
}

BOOST_AUTO_TEST_CASE(lock_is_held_until_the_command_has_ended_by_the_signal) {
  observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c",
                         "trap 'echo got; read line; exit 0' TERM; echo ready; "
                         "while :; do sleep 0.05; done"});
  held.read_line();
  held.process().signal(SIGTERM);
  BOOST_TEST(held.read_line() == "got");
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  held.process().write_line("");
  BOOST_TEST(held.wait() == 0);
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(signal_reaches_the_whole_group) {
  const observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c",
                         "sh -c 'trap \"echo child; exit\" TERM; echo ready; "
                         "while :; do sleep 0.05; done'; exit 3"});
  held.read_line();
  held.process().signal(SIGTERM);
  BOOST_TEST(held.read_line() == "child");
  BOOST_TEST(held.wait() == 128 + SIGTERM);
}

BOOST_AUTO_TEST_CASE(second_signal_kills) {
  const observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c", stubborn()});
  const auto id = std::stoi(held.read_line());
  held.process().signal(SIGTERM);
  BOOST_TEST(held.read_line() == "term");
  // Signals that come together count once.
  const auto kill = [&] {
    held.process().signal(SIGINT);
    return held.process().wait_for_end(std::chrono::milliseconds(50));
  };
  wait_until(kill);
  BOOST_TEST(held.wait() == 128 + SIGKILL);
  BOOST_TEST(!is_alive(id));
}

BOOST_AUTO_TEST_CASE(lock_is_held_until_background_processes_have_ended) {
  observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c", "exec 3<&0; (echo background; cat <&3) & exit 6"});
  held.read_line();
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  BOOST_TEST(!held.process().has_ended());
  held.process().close_input();
  BOOST_TEST(held.wait() == 6);
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(lock_is_held_until_processes_in_groups_of_their_own_have_ended) {
  const observed_lock lock;
  // A shell that controls jobs starts each in a group of its own.
  auto held = start_run(
      {lock.path, "bash", "-c", "exec 3<&0; set -m; (echo background; cat <&3) & exit 6"});
  held.read_line();
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  held.process().signal(SIGTERM);
  BOOST_TEST(held.wait() == 6);
}

BOOST_AUTO_TEST_CASE(process_in_a_session_of_its_own_is_left_alone) {
  observed_lock lock;
  auto held = start_run(
      {lock.path, "sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & read line; exit 6"});
  const auto daemon = std::stoi(held.read_line());
  held.process().write_line("");
  BOOST_TEST(held.wait() == 6);
  BOOST_TEST(lock.entries() == 0U);
  BOOST_TEST(is_alive(daemon));
  ::kill(daemon, SIGKILL);
}

BOOST_AUTO_TEST_CASE(stopped_command_ends_by_sigterm) {
  const observed_lock lock;
  auto held = start_run({lock.path, "sh", "-c", "echo $$; exec sleep 1000"});
  const auto id = std::stoi(held.read_line());
  ::kill(id, SIGSTOP);
  held.process().signal(SIGTERM);
  BOOST_TEST(held.wait() == 128 + SIGTERM);
}

BOOST_AUTO_TEST_CASE(timeout_of_coreutils_ends_it_gently) {
  const observed_lock lock;
  auto arguments = run_arguments({lock.path, "sh", "-c",
                                  "trap 'sleep 0.3; exit 9' TERM; echo ready; "
                                  "while :; do sleep 0.05; done"});
  arguments.insert(arguments.begin(), {"timeout", "--preserve-status", "2", ZKLOCK_COMMAND});
  testing::child_process limited({.command = arguments, .piped = true});
  BOOST_TEST(limited.read_line() == "ready");
  BOOST_TEST(limited.wait() == 9);
}

BOOST_AUTO_TEST_SUITE_END()
