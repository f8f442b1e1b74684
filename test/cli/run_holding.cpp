// How long the lock is held: runs without a command, and the limit of a hold.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(run_holding, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(run_without_a_command_holds_until_a_signal) {
  observed_lock lock;
  auto held = start_run({lock.path});
  BOOST_TEST(held.read_line() == "ZKLOCK_PATH=" + lock.path);
  BOOST_TEST(held.read_line().starts_with("ZKLOCK_NODE=" + lock.path + "/_c_"));
  BOOST_TEST(held.read_line().starts_with("ZKLOCK_TOKEN="));
  BOOST_TEST(held.read_line().starts_with("ZKLOCK_SESSION=0x"));
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  held.process().signal(SIGTERM);
  BOOST_TEST(held.wait() == 0);
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(run_without_a_command_ends_when_the_lock_is_lost) {
  observed_lock lock;
  auto held = start_run({lock.path});
  held.read_line();
  lock.witness.remove_all(lock.path);
  BOOST_TEST(held.wait() == 75);
  BOOST_TEST(held.tells_loss_of(lock.path), held.errors());
}

BOOST_AUTO_TEST_CASE(run_without_a_command_releases_when_it_is_killed) {
  observed_lock lock;
  auto held = start_run({lock.path});
  held.read_line();
  held.process().signal(SIGKILL);
  BOOST_TEST(held.wait() == 128 + SIGKILL);
  lock.wait_for_entries(0);
}

BOOST_AUTO_TEST_CASE(command_ends_before_the_hold_limit) {
  observed_lock lock;
  auto held = start_run({"--hold-limit", "2", lock.path, "sh", "-c", "exec sleep 1000"});
  BOOST_TEST(held.wait() == 75);
  BOOST_TEST(held.says("--hold-limit of 2 s; ending the command"), held.errors());
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(command_that_ignores_sigterm_is_killed_before_the_hold_limit) {
  observed_lock lock;
  auto held = start_run({"--hold-limit", "2", "--kill-after", "1", lock.path, "sh", "-c",
                         "trap 'cat /proc/uptime' TERM; echo $$; while :; do sleep 0.05; done"});
  const auto id = std::stoi(held.read_line());
  BOOST_TEST(std::stod(held.read_line()) > 0);
  BOOST_TEST(start_run({lock.path, "true"}).wait() == 0);
  BOOST_TEST(!is_alive(id));
  BOOST_TEST(held.wait() == 75);
  BOOST_TEST(held.says("killing the command"), held.errors());
}

BOOST_AUTO_TEST_CASE(command_within_the_hold_limit_keeps_its_code) {
  const observed_lock lock;
  BOOST_TEST(start_run({"--hold-limit", "1m", lock.path, "sh", "-c", "exit 5"}).wait() == 5);
}

BOOST_AUTO_TEST_CASE(lock_is_kept_for_its_least_time_after_the_command) {
  observed_lock lock;
  const auto start = std::chrono::steady_clock::now();
  BOOST_TEST(start_run({"--hold-at-least", "1.5", lock.path, "sh", "-c", "exit 5"}).wait() == 5);
  BOOST_TEST((std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(1500)));
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(command_may_take_longer_than_the_least_time) {
  const observed_lock lock;
  BOOST_TEST(
      start_run({"--hold-at-least", "10ms", lock.path, "sh", "-c", "sleep 0.1; exit 6"}).wait() ==
      6);
}

BOOST_AUTO_TEST_CASE(signal_ends_the_least_time) {
  observed_lock lock;
  auto held = start_run({"--hold-at-least", "1h", lock.path, "sh", "-c", "echo $$; exit 7"});
  const auto id = std::stoi(held.read_line());
  wait_until([id] { return !is_alive(id); });
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  held.process().signal(SIGTERM);
  BOOST_TEST(held.wait() == 7);
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(signal_that_ends_the_command_leaves_no_least_time) {
  observed_lock lock;
  auto held =
      start_run({"--hold-at-least", "1h", lock.path, "sh", "-c", "echo $$; exec sleep 1000"});
  held.read_line();
  held.process().signal(SIGTERM);
  BOOST_TEST(held.wait() == 128 + SIGTERM);
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(loss_in_the_least_time_keeps_the_code_of_the_command) {
  observed_lock lock;
  auto held = start_run({"--hold-at-least", "1h", lock.path, "sh", "-c", "echo $$; exit 8"});
  const auto id = std::stoi(held.read_line());
  wait_until([id] { return !is_alive(id); });
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  lock.witness.remove_all(lock.path);
  BOOST_TEST(held.wait() == 8);
  BOOST_TEST(held.says("before the --hold-at-least of 3600 s was over"), held.errors());
}

BOOST_AUTO_TEST_SUITE_END()
