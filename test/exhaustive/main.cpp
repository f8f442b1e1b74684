#include "failure.hpp"
#include "processor_time.hpp"
#include "search.hpp"
#include "support/argument_list.hpp"
#include "support/crash_report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using exhaustive::bounds;
using exhaustive::search;
using exhaustive::violation;
using simulation::processor_time;

struct options {
  // Of the processor, for all bounds together; 0: no limit.
  double seconds = 0;
  bool expects_failure = false;
  bool is_long = false;
  // If several processes share the bounds: the bounds at each `parts`th place, from place `part`
  // on.
  std::size_t part = 0;
  std::size_t parts = 1;
  std::vector<std::string_view> names;
};

// Even when the time is over, the first states of each bounds are visited.
constexpr double least_seconds = 0.001;

const bounds* current_bounds = nullptr;
search* current = nullptr;

void tell(const violation& found) {
  std::printf("%s: broken after %zu events, %zu states: %s\n", current_bounds->name.data(),
              found.path.size(), current->states(), found.what.c_str());
  std::fflush(stdout);
}

bool tell_crash() {
  if (!current) return false;
  const violation found{.what = "it crashes", .path = current->path()};
  tell(found);
  if (zklock::test::crash::is_expected) return true;
  for (const auto& each : found.path)
    std::printf("%s\n", exhaustive::to_string(each).c_str());
  std::fflush(stdout);
  return true;
}

// Everything that happens on the way.
void replay(const violation& found) {
  exhaustive::scene again(*current_bounds, true);
  try {
    for (const auto& each : found.path)
      again.happen(each);
    again.check();
    again.come_to_rest();
  } catch (const simulation::failure& broken) {
    std::printf("%s\n", broken.what());
  }
}

// Returns whether all rules are kept.
bool explore(const bounds& each, double seconds, const options& options) {
  search all(each, seconds);
  current_bounds = &each;
  current = &all;
  const auto start = processor_time();
  const auto found = all.run();
  const auto time = processor_time() - start;
  if (found) {
    tell(*found);
    if (!options.expects_failure) replay(*found);
    current = nullptr;
    return false;
  }
  current = nullptr;
  std::printf("%-24s %9zu states %10zu transitions %3zu events deep %6zu quiet %5zu compared "
              "%6.1f s%s\n",
              each.name.data(), all.states(), all.transitions(), all.depth(), all.quiet(),
              all.compared(), time, all.is_complete() ? "" : ", not all");
  for (std::size_t i = 0; i < all.counts().size(); ++i)
    if (all.counts()[i] != 0 && !options.expects_failure)
      std::printf("    %-24s %10llu\n", exhaustive::to_string(static_cast<exhaustive::step>(i)),
                  static_cast<unsigned long long>(all.counts()[i]));
  std::fflush(stdout);
  return true;
}

bool parse(int count, char** arguments, options& options) {
  zklock::test::argument_list known("exhaustive");
  known.flag("--long", options.is_long);
  known.value("--seconds", "N", [&](const char* text) {
    options.seconds = std::strtod(text, nullptr);
    return true;
  });
  known.value("--part", "K/N", [&](const char* text) {
    return std::sscanf(text, "%zu/%zu", &options.part, &options.parts) == 2 && options.part >= 1 &&
           options.part-- <= options.parts;
  });
  known.flag("--expect-failure", options.expects_failure);
  known.words("NAME", [&](const char* name) { options.names.emplace_back(name); });
  return known.parse(count, arguments);
}

std::vector<const bounds*> select(const options& options) {
  std::vector<const bounds*> meant;
  std::size_t place = 0;
  for (const auto& each : options.is_long ? exhaustive::long_ones() : exhaustive::gate()) {
    if (place++ % options.parts != options.part) continue;
    const auto& names = options.names;
    if (names.empty() || std::find(names.begin(), names.end(), each.name) != names.end())
      meant.push_back(&each);
  }
  return meant;
}

} // namespace

int main(int count, char** arguments) {
  options options;
  if (!parse(count, arguments, options)) return EXIT_FAILURE;
  zklock::test::report_crashes(tell_crash, options.expects_failure);
  // Permanent allocations of the standard library must not lie in the arena.
  static_cast<void>(simulation::text(1));

  const auto meant = select(options);
  const auto end = processor_time() + options.seconds;
  for (std::size_t i = 0; i < meant.size(); ++i) {
    // An equal part of the time left: time that a search does not need is for the next searches.
    const auto part = (end - processor_time()) / static_cast<double>(meant.size() - i);
    const auto seconds = options.seconds > 0 ? std::max(part, least_seconds) : 0;
    if (!explore(*meant[i], seconds, options))
      return options.expects_failure ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  if (meant.empty()) std::puts("no bounds have this name");
  return !meant.empty() && !options.expects_failure ? EXIT_SUCCESS : EXIT_FAILURE;
}
