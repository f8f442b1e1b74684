#include "cli/run/run_options.hpp"

#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/nested_identity.hpp"
#include "cli/run/end_timing.hpp"
#include "cli/run/environment.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/system/error_code.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace zklock::cli {

namespace {

namespace options = boost::program_options;

constexpr auto usage = "run [OPTION...] PATH [--] COMMAND [ARGUMENT...]\n"
                       "       zklock run [OPTION...] PATH -c STRING\n"
                       "       zklock run [OPTION...] PATH";

constexpr auto purpose =
    "Runs a command while the lock of a path is held, and exits with its code. The command is\n"
    "ended before the lock can pass to another holder. Without a command, prints what it holds\n"
    "and holds it until a signal.\n";

constexpr auto examples =
    "  zklock run /locks/backup -- backup --all      wait, then run\n"
    "  zklock run -n /locks/report report            give up at once if it is taken\n"
    "  zklock run -n -E 0 --hold-at-least 30 /locks/report report    on each machine, by cron\n"
    "  zklock run -w 30 -E 9 /locks/deploy ./deploy  wait for 30 s at most, exit with 9 then\n"
    "  zklock run -s /locks/index search             share it with other readers\n"
    "  zklock run --permits 2 --limit 5 /locks/gpu train    two of five permits\n"
    "  zklock run /locks/x -c 'date >> log; sync'    by a shell\n";

struct raw_options {
  bool nonblock = false;
  bool shared = false;
  bool exclusive = false;
  bool verbose = false;
  int conflict_code = exit_code::conflict;
  std::optional<duration> timeout;
  std::optional<duration> hold_limit;
  std::optional<duration> hold_at_least;
  std::optional<duration> kill_after;
  std::optional<std::int64_t> permits;
  std::optional<std::int64_t> limit;
  std::string limit_node;
  std::string on_request;
  std::optional<std::string> shell_command;
  std::string path;

  options::options_description describe();
  options::options_description describe_aliases();
};

template <class T>
options::value_semantic* value(std::optional<T>& target, const char* name) {
  return options::value<T>()->value_name(name)->notifier(
      [&target](const T& given) { target = given; });
}

// A flag with two spellings, such as -n and --nonblock, whose default must not reset `target`.
options::value_semantic* flag(bool& target) {
  return options::bool_switch()->notifier([&target](bool given) { target |= given; });
}

options::options_description raw_options::describe() {
  options::options_description known("Lock");
  auto add = known.add_options();
  add("nonblock,n", flag(nonblock), "fail at once if the lock is taken");
  add("timeout,w", value(timeout, "TIME"),
      "fail if the lock is not acquired in this time; 0 is the same as -n");
  add("conflict-exit-code,E",
      options::value(&conflict_code)->value_name("CODE")->default_value(conflict_code),
      "the exit code for that");
  add("shared,s", flag(shared), "hold it together with other readers");
  add("exclusive,x", flag(exclusive),
      "hold it as a writer, alone. Without -s, -x and --permits the lock is a mutex");
  add("permits", value(permits, "COUNT"),
      "take permits of a semaphore; 1 where only a limit is given");
  add("limit", value(limit, "COUNT"), "how many permits the semaphore has");
  add("limit-node", options::value(&limit_node)->value_name("PATH"),
      "the znode with the number of permits, as Curator's SharedCount keeps it");
  add("hold-limit", value(hold_limit, "TIME"), "end the command before the lock is held so long");
  add("hold-at-least", value(hold_at_least, "TIME"),
      "keep the lock for this time, and exit only then, also if the command ends sooner");
  add("kill-after", value(kill_after, "TIME"),
      "the time from SIGTERM to SIGKILL when the lock is about to be lost; by default 5 s, or less "
      "where the session timeout leaves less");
  add("on-request", options::value(&on_request)->value_name("SIGNAL")->default_value("TERM"),
      "what the command gets when another client asks for the lock; none: nothing");
  add("command,c", value(shell_command, "STRING"), "run a command of the shell $SHELL");
  add("verbose", flag(verbose), "say how long it took to get the lock");
  return known;
}

options::options_description raw_options::describe_aliases() {
  options::options_description known("Other spellings, as flock has them");
  auto add = known.add_options();
  add("nb", flag(nonblock), "the same as --nonblock");
  add("wait", value(timeout, "TIME"), "the same as --timeout");
  add(",e", flag(exclusive), "the same as --exclusive");
  return known;
}

std::int64_t at_least_one(const char* option, std::int64_t number) {
  if (number < 1)
    throw usage_error("invalid --" + std::string(option) + " " + std::to_string(number) +
                      ": must be at least 1");
  return number;
}

int parse_signal(std::string name) {
  if (name == "none") return 0;
  if (name.starts_with("SIG")) name.erase(0, 3);
  for (int number = 1; number < NSIG; ++number)
    if (const char* known = ::sigabbrev_np(number); known != nullptr && name == known)
      return number;
  throw usage_error("invalid --on-request \"" + name +
                    "\": must be the name of a signal, such as TERM, or none");
}

void set_kind(run_options& result, const raw_options& raw) {
  const bool permits = raw.permits || raw.limit || !raw.limit_node.empty();
  if (raw.shared + raw.exclusive + permits > 1)
    throw usage_error("only one of --shared, --exclusive and --permits can be given");
  if (raw.shared) result.kind = lock_kind::reader;
  if (raw.exclusive) result.kind = lock_kind::writer;
  if (!permits) return;
  if (raw.limit.has_value() == !raw.limit_node.empty())
    throw usage_error("permits need either --limit, or --limit-node");
  result.kind = lock_kind::permits;
  result.permits = at_least_one("permits", raw.permits.value_or(1));
  result.limit_node = raw.limit_node;
  if (raw.limit) result.limit = at_least_one("limit", *raw.limit);
  if (raw.limit && result.permits > result.limit)
    throw usage_error("invalid --permits " + std::to_string(result.permits) +
                      ": must not be above the --limit of " + std::to_string(result.limit));
}

void set_times(run_options& result, const raw_options& raw) {
  if (raw.nonblock && raw.timeout && raw.timeout->time.count() != 0)
    throw usage_error("only one of --nonblock and --timeout can be given");
  if (raw.timeout) result.timeout = raw.timeout->time;
  if (raw.nonblock) result.timeout = std::chrono::nanoseconds::zero();
  if (raw.kill_after) result.kill_after = raw.kill_after->time;
  if (raw.hold_limit) result.hold_limit = raw.hold_limit->time;
  if (raw.hold_at_least) {
    result.hold_at_least = raw.hold_at_least->time;
    if (result.command.empty()) throw usage_error("--hold-at-least needs a command");
    if (result.hold_at_least >= result.hold_limit)
      throw usage_error("invalid --hold-at-least " + to_text(result.hold_at_least) +
                        ": must be below the --hold-limit of " + to_text(result.hold_limit));
  }
  // Throws where the times do not go together.
  end_timing(result, result.connection.session_timeout);
}

// Other users see it: the arguments, which may have secrets in them, are left out.
std::string default_identity(const std::vector<std::string>& command) {
  boost::system::error_code ignored;
  auto result = boost::asio::ip::host_name(ignored) + ":" + std::to_string(::getpid());
  if (!command.empty()) result += " " + std::filesystem::path(command.front()).filename().string();
  return result;
}

std::vector<std::string> by_shell(const std::string& text) {
  const char* shell = std::getenv("SHELL");
  return {shell == nullptr || *shell == '\0' ? "/bin/sh" : shell, "-c", text};
}

// The operands behind the path: a command, or "-c STRING" as flock takes it.
std::vector<std::string> parse_command(std::vector<std::string> rest,
                                       const std::optional<std::string>& shell_command) {
  if (!rest.empty() && (rest.front() == "-c" || rest.front() == "--command")) {
    if (rest.size() != 2 || shell_command)
      throw usage_error(rest.front() + " requires exactly one command");
    return by_shell(rest.back());
  }
  if (!rest.empty() && rest.front() == "--") {
    rest.erase(rest.begin());
    // As a rule a variable of a script that is empty. A hold without a command would not end.
    if (rest.empty()) throw usage_error("no command is given behind --");
  }
  if (!shell_command) return rest;
  if (!rest.empty()) throw usage_error("both --command and a command are given");
  return by_shell(*shell_command);
}

} // namespace

std::optional<run_options> parse_run_options(const std::vector<std::string>& arguments) {
  raw_options raw;
  connection_options connection;
  command_line known(usage, purpose, examples);
  known.add(raw.describe());
  known.add(raw.describe_aliases());
  known.add(connection.describe());
  known.add_operand("path", options::value(&raw.path)->required());

  // The options of the command are not ours.
  auto count = known.count_options(arguments);
  if (count < arguments.size() && arguments[count] == "--") ++count;
  const auto path_end = static_cast<std::ptrdiff_t>(std::min(count + 1, arguments.size()));
  if (!known.parse({arguments.begin(), arguments.begin() + path_end})) return std::nullopt;

  run_options result;
  result.connection = connection.make();
  result.path = raw.path;
  result.command =
      parse_command({arguments.begin() + path_end, arguments.end()}, raw.shell_command);
  result.verbose = raw.verbose;
  result.conflict_code = raw.conflict_code;
  if (result.conflict_code < 0 || result.conflict_code > 255)
    throw usage_error("invalid --conflict-exit-code " + std::to_string(result.conflict_code) +
                      ": must be from 0 to 255");
  result.signal_on_request = parse_signal(raw.on_request);
  if (result.connection.identity.empty())
    result.connection.identity = default_identity(result.command);
  result.connection.identity = nested_identity(result.connection.identity, outer_sessions());
  set_kind(result, raw);
  set_times(result, raw);
  return result;
}

} // namespace zklock::cli
