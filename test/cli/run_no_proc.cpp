// `zklock run` where /proc cannot be read, or only in part.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

#include <system_error>

using namespace zklock;
using namespace zklock::test;

namespace {

const std::vector<std::string> own_mounts{"unshare", "--mount", "sh", "-ec"};
const std::vector<std::string> own_process_ids{"unshare", "--pid", "--fork", "sh", "-ec"};

std::vector<std::string> joined(std::vector<std::string> front,
                                const std::vector<std::string>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

// Namespaces need a privilege.
bool is_permitted(const std::vector<std::string>& namespaces) {
  testing::temporary_directory directory;
  testing::child_process tried(
      {.command = joined(namespaces, {":"}), .log = directory.path() / "log"});
  return tried.wait() == 0;
}

boost::test_tools::assertion_result may_hide_proc(boost::unit_test::test_unit_id) {
  return is_permitted(own_mounts);
}

boost::test_tools::assertion_result may_number_processes(boost::unit_test::test_unit_id) {
  return is_permitted(own_process_ids);
}

/// Expects that a run below `namespaces` starts no command and leaves the lock alone.
void expect_refusal(const std::vector<std::string>& namespaces, const std::string& preparation,
                    const std::string& message) {
  observed_lock lock;
  testing::temporary_directory directory;
  const auto log = directory.path() / "log";
  auto arguments = joined(namespaces, {preparation + "exec \"$@\"", "sh", ZKLOCK_COMMAND});
  testing::child_process run(
      {.command = joined(arguments, run_arguments({lock.path, "echo", "ran"})),
       .piped = true,
       .log = log});
  BOOST_TEST(run.wait() == 71);
  BOOST_CHECK_THROW(run.read_line(), testing::error);
  std::ifstream file(log);
  const std::string errors{std::istreambuf_iterator<char>(file), {}};
  BOOST_TEST(errors == "zklock: " + message + '\n');
  BOOST_CHECK(!lock.witness.exists(lock.path));
}

void expect_end(pid_t process) {
  BOOST_TEST(!is_alive(process));
  if (is_alive(process)) ::kill(process, SIGKILL);
}

void take_descriptors_from(pid_t process) {
  rlimit none{};
  if (::prlimit(process, RLIMIT_NOFILE, &none, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "prlimit");
}

/// A run whose command has a process in a group of its own, of which none ends by SIGTERM, and
/// that can open no descriptor more.
struct run_without_descriptors : observed_lock {
  command held = start_run(
      {path, "bash", "-c", "set -m; sh -c \"$1\" & exec sh -c \"$1\"", "bash", stubborn()});
  std::vector<pid_t> all{std::stoi(held.read_line()), std::stoi(held.read_line())};
  pid_t holding = held.holder();

  run_without_descriptors() {
    take_descriptors_from(held.process().id());
    take_descriptors_from(holding);
  }

  void expect_end_of_all() {
    BOOST_TEST(held.wait() == 75);
    for (const auto each : all)
      expect_end(each);
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(run_no_proc, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(run_without_proc_is_refused, *boost::unit_test::precondition(may_hide_proc)) {
  expect_refusal(own_mounts, "mount -t tmpfs none /proc; ",
                 "cannot read /proc/thread-self/children: No such file or directory");
}

BOOST_AUTO_TEST_CASE(run_with_proc_of_another_pid_namespace_is_refused,
                     *boost::unit_test::precondition(may_number_processes)) {
  expect_refusal(own_process_ids, "", "/proc is that of another PID namespace");
}

BOOST_AUTO_TEST_CASE(command_is_killed_when_the_entry_is_deleted_and_proc_is_gone,
                     *boost::unit_test::precondition(may_hide_proc)) {
  observed_lock lock;
  const auto arguments = joined(own_mounts, {"exec \"$@\"", "sh", ZKLOCK_COMMAND});
  testing::child_process held(
      {.command = joined(arguments, run_arguments({lock.path, "sh", "-c",
                                                   "mount -t tmpfs none /proc; " + stubborn()})),
       .piped = true});
  const auto id = std::stoi(held.read_line());
  const auto entries = lock.witness.children(lock.path);
  BOOST_REQUIRE(entries.size() == 1U);
  lock.witness.remove(lock.path + '/' + entries.front());
  BOOST_TEST(held.wait() == 75);
  expect_end(id);
}

BOOST_AUTO_TEST_CASE(command_is_killed_when_the_entry_is_deleted_and_no_descriptors_are_left) {
  run_without_descriptors run;
  const auto entries = run.witness.children(run.path);
  BOOST_REQUIRE(entries.size() == 1U);
  run.witness.remove(run.path + '/' + entries.front());
  run.expect_end_of_all();
}

BOOST_AUTO_TEST_CASE(command_is_killed_when_the_holding_process_is_killed_without_descriptors) {
  run_without_descriptors run;
  ::kill(run.holding, SIGKILL);
  run.expect_end_of_all();
}

BOOST_AUTO_TEST_CASE(command_is_killed_when_the_holding_process_is_stopped_without_descriptors) {
  run_without_descriptors run;
  ::kill(run.holding, SIGSTOP);
  run.expect_end_of_all();
}

BOOST_AUTO_TEST_SUITE_END()
