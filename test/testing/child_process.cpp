#include "testing/child_process.hpp"

#include <zklock/testing.hpp>

#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;

namespace {

child_process shell(const std::string& script, int kept_open = -1) {
  return child_process({.command = {"sh", "-c", script}, .piped = true, .kept_open = kept_open});
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

} // namespace

BOOST_AUTO_TEST_SUITE(child_processes, *timeout(60))

BOOST_AUTO_TEST_CASE(lines_are_written_and_read) {
  auto child = shell("while read -r line; do echo \"<$line>\"; done; echo end");
  child.write_line("one");
  child.write_line("two words");
  BOOST_TEST(child.read_line() == "<one>");
  BOOST_TEST(child.read_line() == "<two words>");
  BOOST_TEST(!child.try_read_line(0ms).has_value());
  BOOST_TEST(!child.has_ended());
  child.close_input();
  BOOST_TEST(child.read_line() == "end");
  BOOST_TEST(child.wait() == 0);
  BOOST_TEST(child.how_it_ended() == "it ended with status 0");
}

BOOST_AUTO_TEST_CASE(missing_line_fails_with_the_reason) {
  auto child = shell("echo one; read -r line; exit 3");
  const auto name = "sh, process " + std::to_string(child.id());
  BOOST_TEST(child.read_line() == "one");
  BOOST_TEST(message_of([&] { child.read_line(1ms); }) == "no line from " + name + " within 1 ms");
  child.write_line("two");
  BOOST_TEST(message_of([&] { child.read_line(); }) == "the output of " + name + " has ended");
  BOOST_TEST(child.wait() == 3);
  BOOST_TEST(child.how_it_ended() == "it ended with status 3");
  BOOST_TEST(message_of([&] { child.write_line("three"); }) ==
             "cannot write to " + name + ": Broken pipe");
}

BOOST_AUTO_TEST_CASE(write_to_a_child_that_reads_nothing_fails) {
  auto child = shell("sleep 60");
  const std::string line(4096, 'x');
  const auto message = message_of([&] {
    for (int i = 0; i < 10'000; ++i)
      child.write_line(line);
  });
  BOOST_TEST(message.starts_with("cannot write to sh, process "));
}

BOOST_AUTO_TEST_CASE(stop_terminates_and_then_kills) {
  auto willing = shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done");
  BOOST_TEST(willing.read_line() == "ready");
  BOOST_TEST(willing.stop() == 7);
  auto unwilling = shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  BOOST_TEST(unwilling.read_line() == "ready");
  BOOST_TEST(unwilling.stop(50ms) == 128 + SIGKILL);
  BOOST_TEST(unwilling.how_it_ended() == "it was ended by signal 9");
}

BOOST_AUTO_TEST_CASE(halted_child_can_be_continued) {
  auto child = shell("kill -STOP $$; echo on; read -r line");
  BOOST_TEST(child.wait_for_halt());
  child.signal(SIGCONT);
  BOOST_TEST(child.read_line() == "on");
  child.halt();
  child.write_line("end");
  BOOST_TEST(!child.wait_for_end(50ms));
  child.signal(SIGCONT);
  BOOST_TEST(!child.wait_for_halt());
  BOOST_TEST(child.wait() == 0);
}

BOOST_AUTO_TEST_CASE(destroyed_child_is_killed) {
  auto child = std::make_optional(shell("echo ready; sleep 60"));
  BOOST_TEST(child->read_line() == "ready");
  auto moved = std::make_optional(std::move(*child));
  child.reset();
  BOOST_TEST(!moved->has_ended());
  const auto id = moved->id();
  moved.reset();
  BOOST_TEST(::kill(id, 0) == -1);
}

BOOST_AUTO_TEST_CASE(chosen_descriptor_alone_is_inherited) {
  const int both[] = {::open("/dev/null", O_RDONLY), ::open("/dev/null", O_RDONLY)};
  auto child = shell("for i in " + std::to_string(both[0]) + ' ' + std::to_string(both[1]) +
                         "; do [ -e /proc/self/fd/$i ] && echo open || echo closed; done",
                     both[1]);
  BOOST_TEST(child.read_line() == "closed");
  BOOST_TEST(child.read_line() == "open");
  for (const int one : both)
    ::close(one);
}

BOOST_AUTO_TEST_CASE(child_has_other_variables_in_place_of_those_of_the_same_names, *timeout(10)) {
  child_process child({.command = {"sh", "-c", R"(echo "$PATH"; echo "$ZKLOCK_A"; echo "$HOME")"},
                       .environment = {"PATH=/none", "ZKLOCK_A=a=b c"},
                       .piped = true});
  BOOST_TEST(child.read_line() == "/none");
  BOOST_TEST(child.read_line() == "a=b c");
  const char* home = std::getenv("HOME");
  BOOST_TEST(child.read_line() == (home == nullptr ? "" : home));
}

BOOST_AUTO_TEST_CASE(output_goes_to_the_log) {
  const temporary_directory folder;
  const auto log = folder.path() / "log";
  child_process both({.command = {"sh", "-c", "pwd; echo wrong >&2; read -r line || echo nothing"},
                      .folder = folder.path(),
                      .log = log});
  BOOST_TEST(both.wait() == 0);
  child_process one({.command = {"sh", "-c", "echo out; echo err >&2"}, .piped = true, .log = log});
  BOOST_TEST(one.read_line() == "out");
  BOOST_TEST(one.wait() == 0);
  std::ifstream in(log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  const std::vector<std::string> expected{folder.path().string(), "wrong", "nothing", "err"};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(program_that_cannot_be_started_is_reported_by_name) {
  BOOST_TEST(message_of([] { child_process({.command = {"/nowhere/at-all"}}); }) ==
             "cannot execute /nowhere/at-all: No such file or directory");
  BOOST_TEST(message_of([] { child_process({.command = {"no-such-program"}}); }) ==
             "cannot start no-such-program: there is no such program on the PATH");
}

BOOST_AUTO_TEST_CASE(child_outlives_the_thread_that_started_it) {
  std::optional<child_process> child;
  std::thread([&] { child = shell("read -r line; echo \"$line\""); }).join();
  child->write_line("alive");
  BOOST_TEST(child->read_line() == "alive");
}

BOOST_AUTO_TEST_SUITE_END()
