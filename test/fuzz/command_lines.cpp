// The arguments of "zklock run", separated by zeros, and times.
#include "cli/duration.hpp"
#include "cli/failure.hpp"
#include "cli/run/run_options.hpp"
#include "fuzz.hpp"
#include "support/unique_descriptor.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace zklock;
using fuzz::require;

namespace {

void check_duration(const std::string& text) {
  cli::duration parsed;
  try {
    parsed = cli::parse_duration(text);
  } catch (const std::invalid_argument& refused) {
    require(std::string_view(refused.what()).starts_with("invalid time \"" + text + "\": "),
            "a refusal does not name the time");
    return;
  }
  require(parsed.time >= parsed.time.zero(), "a time is negative");
  require(parsed.time <= std::chrono::hours(24 * 365 * 100 + 1), "a time is too long");
  require(parsed.milliseconds() >= parsed.time, "a time is rounded down");
  std::ostringstream out;
  out << parsed;
  const auto again = cli::parse_duration(out.str());
  const auto apart = std::max(again.time, parsed.time) - std::min(again.time, parsed.time);
  require(apart <= parsed.time / 1000 + std::chrono::nanoseconds(1),
          "a time does not come back as it went");
}

/// Puts files in place of the values of --auth-file. The text that an input has there becomes the
/// contents of the file: with names of its own an input could name a pipe or a device, and wait for
/// data or read it without end. A folder and a file that does not exist are harmless.
class credential_files {
 public:
  explicit credential_files(std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!is_option(arguments[i])) continue;
      if (const auto equals = arguments[i].find('='); equals != std::string::npos)
        arguments[i] =
            arguments[i].substr(0, equals + 1) + name_for(arguments[i].substr(equals + 1));
      else if (i + 1 < arguments.size() && !is_option(arguments[i + 1]))
        arguments[i + 1] = name_for(arguments[i + 1]);
    }
  }

 private:
  // Program_options accepts the beginning of a name, but "--auth" is another option.
  static bool is_option(std::string_view argument) { return argument.starts_with("--auth-"); }

  std::string name_for(const std::string& contents) {
    if (contents.empty() || contents == "." || contents == "missing") return contents;
    const auto& file = files_.emplace_back(::memfd_create("credentials", MFD_CLOEXEC));
    require(::write(file.get(), contents.data(), contents.size()) ==
                static_cast<ssize_t>(contents.size()),
            "a file cannot be written");
    return "/proc/self/fd/" + std::to_string(file.get());
  }

  std::vector<detail::unique_descriptor> files_;
};

/// Keeps the output of std::cout away from the terminal.
class printed_text {
 public:
  printed_text() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~printed_text() { std::cout.rdbuf(before_); }

  printed_text(const printed_text&) = delete;
  printed_text& operator=(const printed_text&) = delete;

  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

void check_accepted(const cli::run_options& options, std::size_t arguments) {
  require(options.conflict_code >= 0 && options.conflict_code <= 255, "an exit code is none");
  require(options.hold_at_least < options.hold_limit, "a hold ends before it may");
  require(options.hold_at_least.count() == 0 || !options.command.empty(),
          "a lock is kept for a command that does not exist");
  require(options.kill_after.value_or(std::chrono::nanoseconds(0)) < options.hold_limit,
          "a command is killed after the limit");
  require(options.kind != cli::lock_kind::permits || options.permits >= 1, "no permits");
  require(options.limit == 0 || options.permits <= options.limit, "too many permits");
  require(options.command.size() <= arguments + 2, "a command has more than was given");
  require(options.connection.identity.size() > 0, "there is no identity");
  for (const auto& each : options.connection.credentials)
    require(!each.scheme.empty(), "a credential has no scheme");
}

void check_options(std::vector<std::string> arguments) {
  const auto asks_for_help = [](const std::string& each) {
    return each.starts_with('-') && each.find('h') != each.npos;
  };
  const credential_files files(arguments);
  const printed_text printed;
  try {
    const auto options = cli::parse_run_options(arguments);
    require(options.has_value() == printed.text().empty(), "other text than help is printed");
    if (options) return check_accepted(*options, arguments.size());
    require(std::any_of(arguments.begin(), arguments.end(), asks_for_help),
            "help was not asked for");
    require(printed.text().starts_with("Usage: zklock run "), "the help is of something else");
  } catch (const cli::usage_error& refused) {
    require(*refused.what() != '\0', "a refusal has no text");
    require(printed.text().empty(), "a refusal comes with help");
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> arguments;
  while (!rest.empty()) {
    const auto length = std::min(rest.find('\0'), rest.size());
    arguments.emplace_back(rest.substr(0, length));
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  if (!arguments.empty()) check_duration(arguments.front());
  check_options(std::move(arguments));
  return 0;
}
