// The environment that `zklock run` gives to its command, and its exit codes.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(run_codes, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(code_of_command_is_passed_on) {
  const observed_lock lock;
  BOOST_TEST(start_run({lock.path, "true"}).wait() == 0);
  BOOST_TEST(start_run({lock.path, "sh", "-c", "exit 7"}).wait() == 7);
  BOOST_TEST(start_run({lock.path, "--", "sh", "-c", "exit 8"}).wait() == 8);
}

BOOST_AUTO_TEST_CASE(signal_of_command_becomes_its_number_and_128) {
  const observed_lock lock;
  BOOST_TEST(start_run({lock.path, "-c", "kill -TERM $$"}).wait() == 128 + SIGTERM);
  BOOST_TEST(start_run({lock.path, "-c", "kill -KILL $$"}).wait() == 128 + SIGKILL);
  BOOST_TEST(start_run({lock.path, "-c", "kill -INT $$"}).wait() == 128 + SIGINT);
}

BOOST_AUTO_TEST_CASE(program_that_cannot_be_executed_has_the_codes_of_a_shell) {
  const observed_lock lock;
  auto missing = start_run({lock.path, "no-such-program"});
  BOOST_TEST(missing.wait() == 127);
  BOOST_TEST(missing.says("zklock: cannot execute \"no-such-program\": No such file"));
  BOOST_TEST(start_run({lock.path, "/etc/passwd"}).wait() == 126);
}

BOOST_AUTO_TEST_CASE(lock_is_released_when_the_program_has_ended) {
  observed_lock lock;
  BOOST_TEST(start_run({lock.path, "true"}).wait() == 0);
  BOOST_TEST(lock.entries() == 0U);
  BOOST_TEST(start_run({lock.path, "no-such-program"}).wait() == 127);
  BOOST_TEST(lock.entries() == 0U);
}

BOOST_AUTO_TEST_CASE(arguments_are_passed_on_without_a_shell) {
  const observed_lock lock;
  auto echo = start_run({lock.path, "printf", "%s|", "$HOME", "a b", "-n", "--help", "*"});
  BOOST_TEST(echo.wait() == 0);
  // printf ends without a newline.
  auto line = start_run({lock.path, "printf", "%s|%s\n", "$HOME a", "-n"});
  BOOST_TEST(line.read_line() == "$HOME a|-n");
}

BOOST_AUTO_TEST_CASE(string_is_run_by_the_shell_before_or_behind_the_path) {
  const observed_lock lock;
  BOOST_TEST(start_run({lock.path, "-c", "echo a; exit 3"}).wait() == 3);
  BOOST_TEST(start_run({"-c", "echo a; exit 4", lock.path}).wait() == 4);
  BOOST_TEST(start_run({lock.path, "-c", "a", "b"}).wait() == 64);
  // An empty text is no missing command.
  BOOST_TEST(start_run({lock.path, "-c", ""}).wait() == 0);
  BOOST_TEST(start_run({"-c", "", lock.path}).wait() == 0);
}

BOOST_AUTO_TEST_CASE(standard_input_is_that_of_the_command) {
  const observed_lock lock;
  auto cat = start_run({lock.path, "cat"});
  cat.process().write_line("first");
  BOOST_TEST(cat.read_line() == "first");
  cat.process().write_line("second");
  BOOST_TEST(cat.read_line() == "second");
  cat.process().close_input();
  BOOST_TEST(cat.wait() == 0);
}

BOOST_AUTO_TEST_CASE(environment_describes_the_hold) {
  observed_lock lock;
  auto shown = start_run({lock.path, "sh", "-c", "env | grep ^ZKLOCK_; echo end; cat"});
  std::map<std::string, std::string> variables;
  for (auto line = shown.read_line(); line != "end"; line = shown.read_line())
    variables[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);

  asio::io_context io{1};
  client zk(io, options_for(shared_server().address()));
  const mutex same(zk, lock.path);
  std::vector<participant> all;
  run(io,
      [&]() -> asio::awaitable<void> { all = co_await same.participants(asio::use_awaitable); });
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(variables["ZKLOCK_PATH"] == lock.path);
  BOOST_TEST(variables["ZKLOCK_NODE"] == all[0].node);
  BOOST_TEST(variables["ZKLOCK_TOKEN"] == std::to_string(all[0].token.transaction()));
  BOOST_TEST(std::stoull(variables["ZKLOCK_SESSION"], nullptr, 16) ==
             static_cast<std::uint64_t>(all[0].session_id));
  BOOST_TEST(all[0].identity.ends_with(":" + std::to_string(shown.process().id()) + " sh"));
}

BOOST_AUTO_TEST_CASE(signals_that_are_ignored_stay_ignored) {
  const observed_lock lock;
  auto shown = start_run({lock.path, "grep", "SigIgn", "/proc/self/status"});
  const auto usual = shown.read_line();
  std::vector<std::string> nohup{"env", "--ignore-signal=HUP,CHLD", ZKLOCK_COMMAND};
  const auto rest = run_arguments({lock.path, "grep", "SigIgn", "/proc/self/status"});
  nohup.insert(nohup.end(), rest.begin(), rest.end());
  testing::child_process ignoring({.command = nohup, .piped = true});
  const auto bits = [](const std::string& line) {
    return std::stoull(line.substr(line.find(':') + 1), nullptr, 16);
  };
  BOOST_TEST((bits(ignoring.read_line()) ^ bits(usual)) ==
             ((1U << (SIGHUP - 1)) | (1U << (SIGCHLD - 1))));
  BOOST_TEST((bits(usual) & (1U << (SIGPIPE - 1))) == 0U);
}

BOOST_AUTO_TEST_CASE(wrong_command_line_is_refused_with_64) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& text) {
    auto one = command(arguments);
    BOOST_TEST(one.wait() == 64);
    BOOST_TEST(one.says("zklock: "), one.errors());
    BOOST_TEST(one.says(text), one.errors());
  };
  refused({}, "no command is given");
  refused({"dance"}, "unknown command \"dance\"");
  refused({"run"}, "no PATH is given");
  refused({"show"}, "no PATH is given");
  refused({"ls", "/a", "/b"}, "too many arguments");
  refused({"run", "--colour", "/a"}, "colour");
  refused(run_arguments({"no/slash", "true"}), "invalid path \"no/slash\"");
  refused(run_arguments({"-s", "-x", "/a", "true"}), "only one of");
  refused(run_arguments({"--permits", "2", "/a", "true"}), "--limit");
  refused(run_arguments({"--permits", "3", "--limit", "2", "/a", "true"}), "--limit of 2");
  refused(run_arguments({"-w", "soon", "/a", "true"}), "invalid time \"soon\"");
  // Placeholders in the messages of Program_options.
  refused(run_arguments({"-E", "%value%", "/a", "true"}), "invalid option --conflict-exit-code");
  refused(run_arguments({"--%canonical_option%", "/a"}), "invalid option --%canonical_option%");
  refused(run_arguments({"-w", "3 weeks", "/a", "true"}), "3 weeks");
  refused(run_arguments({"-n", "-w", "3", "/a", "true"}), "only one of");
  refused(run_arguments({"-E", "256", "/a", "true"}), "from 0 to 255");
  refused(run_arguments({"--kill-after", "3", "/a", "true"}), "leaves 1.1 s at most");
  refused(run_arguments({"--hold-limit", "1", "--kill-after", "1", "/a", "true"}), "--hold-limit");
  refused(run_arguments({"--hold-at-least", "2", "--hold-limit", "2", "/a", "true"}),
          "invalid --hold-at-least 2 s: must be below the --hold-limit of 2 s");
  refused(run_arguments({"--hold-at-least", "2", "/a"}), "--hold-at-least needs a command");
  refused(run_arguments({"--on-request", "DANCE", "/a", "true"}), "DANCE");
  refused(run_arguments({"--time", "3", "/a", "true"}), "unrecognised option '--time'");
  refused({"ls", "--serv", "nowhere:1"}, "unrecognised option '--serv'");
  refused(run_arguments({"/a", "--"}), "no command is given behind --");
  refused(run_arguments({"-c", "true", "/a", "--"}), "no command is given behind --");
  refused({"run", "--auth", "secret", "/a", "true"}, "SCHEME:SECRET");
}

BOOST_AUTO_TEST_CASE(wrong_credential_is_refused_without_its_secret) {
  const auto refused = [](const std::string& secret, const std::string& text) {
    testing::temporary_directory directory;
    const auto log = directory.path() / "log";
    auto arguments = run_arguments({"/a", "true"});
    arguments.insert(arguments.begin(), {"env", "ZKLOCK_AUTH=" + secret, ZKLOCK_COMMAND});
    const testing::child_process run({.command = arguments, .log = log});
    BOOST_TEST(run.wait() == 64);
    std::ifstream file(log);
    std::string line;
    std::getline(file, line);
    BOOST_TEST(line == "zklock: invalid credential in ZKLOCK_AUTH: " + text);
  };
  refused("hidden", "must be SCHEME:SECRET, such as digest:user:password");
  refused("digest:hidden", "a digest must be digest:USER:PASSWORD");
  refused("digest:user:hidden\n", "must not have a line end");
  refused("digest:user:hidden\r\n", "must not have a line end");
}

BOOST_AUTO_TEST_CASE(servers_that_do_not_answer_end_it_with_69) {
  const std::string nothing = "127.0.0.1:1";
  auto waiting = start_run({"--connect-timeout", "300ms", "/a", "true"}, nothing);
  BOOST_TEST(waiting.wait() == 69);
  BOOST_TEST(waiting.says("zklock: no server of 127.0.0.1:1 answers"), waiting.errors());
  BOOST_TEST(start_run({"--connect-timeout", "300ms", "-n", "/a", "true"}, nothing).wait() == 69);
  BOOST_TEST(start_run({"-w", "300ms", "/a", "true"}, nothing).wait() == 69);
}

BOOST_AUTO_TEST_CASE(spellings_of_flock_are_known) {
  const observed_lock lock;
  auto holder = start_run({lock.path, "sh", "-c", "echo held; cat"});
  holder.read_line();
  BOOST_TEST(start_run({"--nb", lock.path, "true"}).wait() == 1);
  BOOST_TEST(start_run({"--wait", "0.1", lock.path, "true"}).wait() == 1);
  BOOST_TEST(start_run({"-en", lock.path, "true"}).wait() == 1);
  BOOST_TEST(start_run({"-w.1", lock.path, "true"}).wait() == 1);
  BOOST_TEST(start_run({"-nE7", lock.path, "true"}).wait() == 7);
}

BOOST_AUTO_TEST_CASE(lock_of_other_users_needs_a_credential) {
  observed_lock lock;
  lock.witness.create_all("/test");
  lock.witness.add_auth("digest", "user:secret");
  lock.witness.create(lock.path, {}, testing::create_mode::persistent,
                      {{.permissions = 31, .scheme = "auth", .id = ""}});
  auto refused = start_run({lock.path, "true"});
  BOOST_TEST(refused.wait() == 77);
  BOOST_TEST(refused.says("cannot acquire " + lock.path), refused.errors());
  BOOST_TEST(start_run({"--auth", "digest:user:secret", lock.path, "true"}).wait() == 0);
  lock.witness.remove_all(lock.path);
}

BOOST_AUTO_TEST_CASE(help_and_version_are_printed_on_standard_output) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"help", "run"}, {"run", "--help"}, {"run", "-h"}}) {
    auto help = command(arguments);
    const auto lines = help.read_all();
    BOOST_TEST(help.wait() == 0);
    BOOST_REQUIRE(!lines.empty());
    BOOST_TEST(lines.front() == "Usage: zklock run [OPTION...] PATH [--] COMMAND [ARGUMENT...]");
    BOOST_TEST(std::ranges::count(lines, "Examples:") == 1);
  }
  BOOST_TEST(command({"--help"}).read_line() == "Usage: zklock COMMAND [ARGUMENT...]");
  BOOST_TEST(command({"--version"}).read_line().starts_with("zklock 0."));
}

BOOST_AUTO_TEST_SUITE_END()
