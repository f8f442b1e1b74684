// Runs in a terminal, with the keys that control jobs.
#include <zklock/testing/relay.hpp>

#include "cli/terminal.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace zklock;
using namespace zklock::test;

namespace {

// A shell without control of jobs, so that all of its processes share a group.
const std::string loop = "echo ready; while :; do sleep 0.05; done";

std::string short_run(const std::string& path) {
  return "zklock run --session-timeout 2 --server-tick 0.5 " + path + " ";
}

// Types a line until `sed` has read it: a line that is typed before is for the shell that
// starts it, or brings it to the foreground.
void type_to_reader(terminal& screen, const std::string& line) {
  wait_until([&] {
    screen.type(line);
    return screen.shows("got " + line);
  });
}

} // namespace

BOOST_AUTO_TEST_SUITE(run_terminal, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(command_reads_from_the_terminal) {
  observed_lock lock;
  terminal screen;
  screen.type(short_run(lock.path) + "sed 's/^/got /'; echo code=$?");
  lock.wait_for_entries(1);
  screen.type("hello");
  screen.wait_for_line("got hello");
  screen.press("C-d");
  screen.wait_for_line("code=0");
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(interrupt_key_ends_the_command) {
  observed_lock lock;
  terminal screen;
  screen.type(short_run(lock.path) + "sh -c '" + loop + "'");
  screen.wait_for_line("ready");
  screen.press("C-c");
  lock.wait_for_entries(0);
  screen.type("echo code=$?");
  screen.wait_for_line("code=130");
}

BOOST_AUTO_TEST_CASE(interrupt_key_belongs_to_the_command) {
  observed_lock lock;
  terminal screen;
  screen.type(short_run(lock.path) +
              "sh -c 'trap \"n=1\\$n; echo got \\$n; [ \\$n = 111 ] && exit 4\" INT; " + loop +
              "'; echo code=$?");
  screen.wait_for_line("ready");
  for (const std::string count : {"1", "11", "111"}) {
    screen.press("C-c");
    screen.wait_for_text("got " + count);
  }
  screen.wait_for_line("code=4");
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(interrupt_key_while_waiting_gives_the_place_up) {
  observed_lock lock;
  auto holder = start_run({lock.path, "cat"});
  lock.wait_for_entries(1);
  terminal screen;
  screen.type(short_run(lock.path) + "echo ran");
  lock.wait_for_entries(2);
  screen.press("C-c");
  lock.wait_for_entries(1);
  screen.type("echo code=$?");
  screen.wait_for_line("code=130");
}

BOOST_AUTO_TEST_CASE(interrupt_key_ends_a_script) {
  observed_lock lock;
  const testing::temporary_directory folder;
  const auto script = (folder.path() / "script").string();
  std::ofstream(script) << ZKLOCK_COMMAND " run " << lock.path << " sh -c '" << loop
                        << "'\necho went on\n";
  terminal screen;
  screen.type("bash " + script + "; echo code=$?");
  screen.wait_for_line("ready");
  screen.press("C-c");
  lock.wait_for_entries(0);
  screen.type("echo end");
  screen.wait_for_line("end");
  BOOST_TEST(!screen.shows("went on"));
}

BOOST_AUTO_TEST_CASE(stopped_command_keeps_the_lock_and_goes_on_in_the_foreground) {
  observed_lock lock;
  testing::relay wire(shared_server().direct_address());
  terminal screen;
  screen.type("export ZKLOCK_SERVERS=" + wire.address());
  screen.type(short_run(lock.path) + "sed 's/^/got /'; echo code=$?");
  type_to_reader(screen, "first");
  screen.press("C-z");
  screen.wait_for_text("Stopped");
  // The session is still confirmed, for longer than it would last.
  wire.reset_counts();
  wait_until([&] { return wire.requests(testing::operation::multi) >= 20; });
  BOOST_TEST(start_run({"-n", lock.path, "true"}).wait() == 1);
  screen.type("fg");
  type_to_reader(screen, "hello");
  screen.press("C-d");
  lock.wait_for_entries(0);
}

BOOST_AUTO_TEST_CASE(command_in_the_background_stops_to_read_and_goes_on_in_the_foreground) {
  observed_lock lock;
  terminal screen;
  screen.type(short_run(lock.path) + "sed 's/^/got /' &");
  lock.wait_for_entries(1);
  wait_until([&] {
    screen.type("jobs");
    return screen.shows("Stopped");
  });
  screen.type("fg");
  type_to_reader(screen, "hello");
  screen.press("C-d");
  lock.wait_for_entries(0);
}

BOOST_AUTO_TEST_CASE(command_that_stops_itself_gives_the_shell_back) {
  observed_lock lock;
  terminal screen;
  screen.type(short_run(lock.path) + "sh -c 'kill -STOP $$; echo went on'");
  screen.wait_for_text("Stopped");
  BOOST_TEST(lock.entries() == 1U);
  screen.type("fg");
  screen.wait_for_line("went on");
  lock.wait_for_entries(0);
}

BOOST_AUTO_TEST_CASE(command_that_is_continued_by_another_process_goes_on) {
  observed_lock lock;
  const testing::temporary_directory folder;
  const auto file = (folder.path() / "id").string();
  terminal screen;
  screen.type(short_run(lock.path) + "sh -c 'echo $$ > " + file + "; kill -STOP $$; echo went on'");
  screen.wait_for_text("Stopped");
  // The shell's prompt, after which the command writes.
  screen.wait_for_line("> ");
  pid_t id = 0;
  std::ifstream(file) >> id;
  ::kill(id, SIGCONT);
  screen.wait_for_line("> went on");
  lock.wait_for_entries(0);
  wait_until([&] {
    screen.type("jobs");
    return screen.shows("Done");
  });
}

BOOST_AUTO_TEST_CASE(shell_inside_controls_its_own_jobs) {
  observed_lock lock;
  terminal screen;
  screen.type(short_run(lock.path) + "bash --norc -i");
  lock.wait_for_entries(1);
  screen.type("PS1='inner '");
  screen.type("sed 's/^/got /'");
  type_to_reader(screen, "first");
  screen.press("C-z");
  screen.wait_for_text("Stopped");
  screen.type("fg");
  type_to_reader(screen, "hello");
  screen.press("C-d");
  screen.type("exit 5");
  lock.wait_for_entries(0);
  screen.type("echo code=$?");
  screen.wait_for_line("code=5");
}

BOOST_AUTO_TEST_CASE(program_beside_it_in_a_pipeline_reads_from_the_terminal) {
  observed_lock lock;
  terminal screen;
  screen.type(short_run(lock.path) + "sh -c 'echo one; exec sleep 1000' | " +
              "sh -c 'read line; read key < /dev/tty; echo \"$line $key\"'");
  lock.wait_for_entries(1);
  screen.type("two");
  screen.wait_for_line("one two");
  screen.press("C-c");
  lock.wait_for_entries(0);
}

BOOST_AUTO_TEST_CASE(closed_terminal_ends_the_command) {
  observed_lock lock;
  {
    terminal screen;
    screen.type(short_run(lock.path) + "sh -c '" + loop + "'");
    screen.wait_for_line("ready");
  }
  lock.wait_for_entries(0);
}

BOOST_AUTO_TEST_SUITE_END()
