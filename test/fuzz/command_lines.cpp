// The arguments of "zklock run", separated by zeros, and times.
#include "cli/duration.hpp"
#include "cli/failure.hpp"
#include "cli/run/run_options.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
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

void check_options(const std::vector<std::string>& arguments) {
  // Otherwise the text of the help is printed.
  for (const auto& each : arguments)
    if (each.starts_with("--h") || (each.starts_with("-") && each.find('h') != each.npos)) return;
  try {
    const auto options = cli::parse_run_options(arguments);
    require(options.has_value(), "help was not asked for");
    require(options->conflict_code >= 0 && options->conflict_code <= 255, "an exit code is none");
    require(options->hold_at_least < options->hold_limit, "a hold ends before it may");
    require(options->kind != cli::lock_kind::permits || options->permits >= 1, "no permits");
    require(options->limit == 0 || options->permits <= options->limit, "too many permits");
    const auto& command = options->command;
    require(command.size() <= arguments.size() + 2, "a command has more than was given");
    require(options->connection.identity.size() > 0, "there is no identity");
  } catch (const cli::usage_error& refused) {
    require(*refused.what() != '\0', "a refusal has no text");
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
  check_options(arguments);
  return 0;
}
