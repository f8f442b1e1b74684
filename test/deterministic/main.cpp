#include "history.hpp"
#include "simulation/processor_time.hpp"
#include "simulation/seeds.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace {

using simulation::processor_time;

struct options {
  std::uint64_t first = 1;
  std::uint64_t histories = 0;
  double seconds = 0;
  bool trace = false;
  bool twice = false;
  bool expect_failure = false;
  bool keep_going = false;
  /// Replayed instead, where there are any.
  std::vector<std::uint64_t> seeds{};
};

// Too few histories need not reach everything.
constexpr std::uint64_t enough_histories = 1000;

// A long run tells after so many histories how far it is.
constexpr std::uint64_t histories_a_line = 10'000;

std::uint64_t current_seed = 0;
volatile std::sig_atomic_t expects_failure = 0;

void tell_seed() {
  const auto seed = static_cast<unsigned long long>(current_seed);
  std::printf("seed %llu fails; replay it with: --seed %llu --trace\n", seed, seed);
  std::fflush(stdout);
}

// Which history crashed is worth knowing.
void on_crash(int signal) {
  tell_seed();
  if (expects_failure) std::_Exit(EXIT_SUCCESS);
  std::signal(signal, SIG_DFL);
}

bool parse(int count, char** arguments, options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--trace") {
      options.trace = true;
    } else if (name == "--twice") {
      options.twice = true;
    } else if (name == "--expect-failure") {
      options.expect_failure = true;
    } else if (name == "--keep-going") {
      options.keep_going = true;
    } else if (i + 1 == count) {
      return false;
    } else if (const char* value = arguments[++i]; name == "--histories") {
      options.histories = std::strtoull(value, nullptr, 10);
    } else if (name == "--first") {
      options.first = std::strtoull(value, nullptr, 10);
    } else if (name == "--seed") {
      options.first = std::strtoull(value, nullptr, 10);
      options.histories = 1;
    } else if (name == "--seeds") {
      options.seeds = simulation::read_seeds(value);
      options.histories = options.seeds.size();
    } else if (name == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
    } else if (name == "--hours") {
      options.seconds = std::strtod(value, nullptr) * 3600;
    } else {
      return false;
    }
  }
  return options.histories != 0 || options.seconds > 0;
}

/// What a run of many histories adds up.
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

bool run(std::uint64_t seed, bool trace, totals& total) {
  current_seed = seed;
  deterministic::history history(seed, trace);
  try {
    history.run();
  } catch (const std::exception& failure) {
    if (!trace)
      for (const auto& line : history.told().last())
        std::puts(line.c_str());
    std::printf("%s\n", failure.what());
    tell_seed();
    return false;
  }
  total.seen.add(history.statistics());
  total.simulated += history.simulated();
  total.hash = history.hash();
  return true;
}

} // namespace

int main(int count, char** arguments) {
  options options;
  if (!parse(count, arguments, options)) {
    std::puts("usage: deterministic [--seconds S | --hours H | --histories N] [--first SEED]\n"
              "                     [--seed SEED] [--trace] [--twice] [--expect-failure]\n"
              "                     [--keep-going]");
    return EXIT_FAILURE;
  }
  expects_failure = options.expect_failure;
  for (const int crash : {SIGSEGV, SIGABRT, SIGFPE})
    std::signal(crash, on_crash);

  const double start = processor_time();
  totals total;
  std::uint64_t done = 0;
  const auto goes_on = [&] {
    return options.histories != 0 ? done < options.histories
                                  : processor_time() - start < options.seconds;
  };
  for (; goes_on(); ++done) {
    const auto seed = options.seeds.empty() ? options.first + done : options.seeds[done];
    const bool kept = run(seed, options.trace, total);
    const auto hash = total.hash;
    if (kept && (!options.twice || (run(seed, options.trace, total) && hash == total.hash))) {
      if ((done + 1) % histories_a_line == 0) total.report(done + 1, processor_time() - start);
      continue;
    }
    if (kept)
      std::printf("seed %llu ran twice, in two ways\n", static_cast<unsigned long long>(seed));
    std::printf("history %llu\n", static_cast<unsigned long long>(done + 1));
    ++total.violations;
    if (options.keep_going) continue;
    return options.expect_failure ? EXIT_SUCCESS : EXIT_FAILURE;
  }

  const bool complete = total.seen.report() || done < enough_histories;
  total.report(done, processor_time() - start);
  if (options.trace) std::printf("hash %016llx\n", static_cast<unsigned long long>(total.hash));
  const bool kept = complete && total.violations == 0;
  return kept && !options.expect_failure ? EXIT_SUCCESS : EXIT_FAILURE;
}
