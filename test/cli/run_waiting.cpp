// Waiting for a lock that is taken.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

/// A run that holds a lock until its input ends.
struct taken_lock : observed_lock {
  command holder = start_run({path, "sh", "-c", "echo held; cat"});

  taken_lock() { holder.read_line(); }
  int release() {
    holder.process().close_input();
    return holder.wait();
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(run_waiting, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(try_of_taken_lock_ends_with_conflict_code) {
  taken_lock lock;
  auto failed = start_run({"-n", lock.path, "echo", "ran"});
  BOOST_TEST(failed.wait() == 1);
  BOOST_TEST(failed.errors() == "zklock: the lock " + lock.path + " is taken\n");
  BOOST_TEST(failed.read_all().empty());
  BOOST_TEST(start_run({"-n", "-E", "77", lock.path, "true"}).wait() == 77);
  BOOST_TEST(start_run({"-w", "0", "-E", "0", lock.path, "false"}).wait() == 0);
  BOOST_TEST(lock.release() == 0);
  BOOST_TEST(start_run({"-n", lock.path, "sh", "-c", "exit 5"}).wait() == 5);
}

BOOST_AUTO_TEST_CASE(timeout_ends_with_conflict_code_and_leaves_no_entry) {
  taken_lock lock;
  BOOST_TEST(start_run({"-w", "0.1", lock.path, "true"}).wait() == 1);
  auto failed = start_run({"--timeout", "100ms", "-E", "9", lock.path, "true"});
  BOOST_TEST(failed.wait() == 9);
  BOOST_TEST(failed.says("was not released within 0.1 s"), failed.errors());
  BOOST_TEST(lock.entries() == 1U);
}

BOOST_AUTO_TEST_CASE(waiter_runs_when_the_lock_is_released) {
  taken_lock lock;
  auto next = start_run({"--verbose", lock.path, "echo", "ran"});
  lock.wait_for_entries(2);
  BOOST_TEST(!next.process().has_ended());
  lock.release();
  BOOST_TEST(next.read_line() == "ran");
  BOOST_TEST(next.wait() == 0);
  BOOST_TEST(next.says("zklock: waiting for " + lock.path + ", with 1 ahead"), next.errors());
  BOOST_TEST(next.says("zklock: acquired " + lock.path + ", token "), next.errors());
}

BOOST_AUTO_TEST_CASE(signal_while_waiting_gives_the_place_up) {
  taken_lock lock;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    auto waiting = start_run({lock.path, "echo", "ran"});
    lock.wait_for_entries(2);
    waiting.process().signal(number);
    BOOST_TEST(waiting.wait() == 128 + number);
    BOOST_TEST(lock.entries() == 1U);
    BOOST_TEST(waiting.read_all().empty());
  }
}

BOOST_AUTO_TEST_CASE(killed_waiter_gives_the_place_up) {
  taken_lock lock;
  auto waiting = start_run({lock.path, "echo", "ran"});
  lock.wait_for_entries(2);
  waiting.process().signal(SIGKILL);
  BOOST_TEST(waiting.wait() == 128 + SIGKILL);
  lock.wait_for_entries(1);
  BOOST_TEST(waiting.read_all().empty());
}

BOOST_AUTO_TEST_CASE(readers_share_and_exclude_writers_and_mutexes) {
  const observed_lock lock;
  auto reader = start_run({"-s", lock.path, "sh", "-c", "echo held; cat"});
  reader.read_line();
  BOOST_TEST(start_run({"-n", "-s", lock.path, "true"}).wait() == 0);
  BOOST_TEST(start_run({"-n", "-x", lock.path, "true"}).wait() == 1);
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  reader.process().close_input();
  BOOST_TEST(reader.wait() == 0);
  for (const std::string kind : {"-x", "--verbose"}) {
    auto alone = start_run({kind, lock.path, "sh", "-c", "echo held; cat"});
    alone.read_line();
    BOOST_TEST(start_run({"-n", "-s", lock.path, "true"}).wait() == 1);
    BOOST_TEST(start_run({"-n", "-x", lock.path, "true"}).wait() == 1);
    BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  }
}

BOOST_AUTO_TEST_CASE(permits_are_counted) {
  const observed_lock lock;
  auto two = start_run({"--permits", "2", "--limit", "3", lock.path, "sh", "-c", "echo held; cat"});
  two.read_line();
  BOOST_TEST(start_run({"-n", "--limit", "3", lock.path, "true"}).wait() == 0);
  BOOST_TEST(start_run({"-n", "--permits", "2", "--limit", "3", lock.path, "true"}).wait() == 1);
  two.process().close_input();
  BOOST_TEST(two.wait() == 0);
  BOOST_TEST(start_run({"-n", "--permits", "3", "--limit", "3", lock.path, "true"}).wait() == 0);
}

BOOST_AUTO_TEST_CASE(limit_is_read_from_a_node) {
  observed_lock lock;
  const auto node = fresh_path("limit");
  lock.witness.create_all(node);
  lock.witness.set(node, std::string("\0\0\0\2", 4));
  const std::vector<std::string> two{"-n", "--permits", "2",   "--limit-node",
                                     node, lock.path,   "true"};
  BOOST_TEST(start_run(two).wait() == 0);
  lock.witness.set(node, std::string("\0\0\0\1", 4));
  BOOST_TEST(start_run(two).wait() == 64);
}

BOOST_AUTO_TEST_SUITE_END()
