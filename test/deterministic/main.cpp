#include "history.hpp"
#include "secure_front.hpp"
#include "simulation/processor_time.hpp"
#include "support/crash_report.hpp"
#include "support/history_options.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

using namespace zklock::test;
using simulation::processor_time;

// Too few histories need not reach everything.
constexpr std::uint64_t enough_histories = 1000;

// A long run tells after so many histories how far it is.
constexpr std::uint64_t histories_a_line = 10'000;

/// The totals of a run of many histories.
struct totals {
  deterministic::statistics seen;
  std::chrono::nanoseconds simulated{0};
  std::uint64_t hash = 0;
  std::uint64_t violations = 0;

  void report(std::uint64_t done, double used) const {
    using deterministic::seen;
    const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    const double hours = std::chrono::duration<double, std::ratio<3600>>(simulated).count();
    std::printf("%llu histories, %.1f simulated hours in %.1f s: %.0f hours an hour, "
                "%llu grants, %llu faults, %llu violations\n",
                number(done), hours, used, hours / (used / 3600), number(this->seen[seen::grant]),
                number(this->seen[seen::fault]), number(violations));
    std::fflush(stdout);
  }
};

bool run(std::uint64_t seed, bool trace, const deterministic::setting& setting, totals& total) {
  current_seed = seed;
  deterministic::history history(seed, trace, setting);
  try {
    history.run();
  } catch (const std::exception& failure) {
    if (!trace)
      for (const auto& line : history.told().last())
        std::puts(line.c_str());
    std::printf("%s\n", failure.what());
    print_current_seed();
    return false;
  }
  total.seen.add(history.statistics());
  total.simulated += history.simulated();
  total.hash = history.hash();
  return true;
}

} // namespace

int main(int count, char** arguments) {
  history_options options;
  double seconds = 0;
  bool twice = false;
  deterministic::setting setting;
  bool keep_going = false;
  argument_list known("deterministic");
  known.value("--seconds", "S", [&](const char* text) {
    seconds = std::strtod(text, nullptr);
    return true;
  });
  known.value("--hours", "H", [&](const char* text) {
    seconds = std::strtod(text, nullptr) * 3600;
    return true;
  });
  options.add_to(known);
  options.add_replay_to(known);
  known.flag("--twice", twice);
  known.flag("--tls", setting.speaks_tls);
  known.flag("--strands", setting.has_strands);
  known.flag("--keep-going", keep_going);
  if (!known.parse(count, arguments)) return EXIT_FAILURE;
  if (options.histories == 0 && seconds <= 0) {
    known.refuse();
    return EXIT_FAILURE;
  }
  report_crashes(print_current_seed, options.expect_failure);

  const double start = processor_time();
  totals total;
  std::uint64_t done = 0;
  const auto goes_on = [&] {
    return options.histories != 0 ? done < options.histories : processor_time() - start < seconds;
  };
  for (; goes_on(); ++done) {
    const auto seed = options.seed(done);
    const bool kept = run(seed, options.trace, setting, total);
    const auto hash = total.hash;
    if (kept && (!twice || (run(seed, options.trace, setting, total) && hash == total.hash))) {
      if ((done + 1) % histories_a_line == 0) total.report(done + 1, processor_time() - start);
      continue;
    }
    if (kept)
      std::printf("seed %llu ran twice, in two ways\n", static_cast<unsigned long long>(seed));
    std::printf("history %llu\n", static_cast<unsigned long long>(done + 1));
    ++total.violations;
    if (keep_going) continue;
    return options.failed();
  }

  const bool complete = total.seen.report() || done < enough_histories;
  total.report(done, processor_time() - start);
  if (options.trace) std::printf("hash %016llx\n", static_cast<unsigned long long>(total.hash));
  const bool kept = complete && total.violations == 0;
  return kept ? options.kept() : EXIT_FAILURE;
}
