#include "history.hpp"
#include "support/crash_report.hpp"
#include "support/history_options.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace {

using namespace zklock::test;

// Too few histories need not reach everything.
constexpr std::uint64_t enough_histories = 5000;

bool run(std::uint64_t seed, bool trace, simulation::statistics& total) {
  current_seed = seed;
  constexpr simulation::lock_kind kinds[] = {simulation::lock_kind::exclusive,
                                             simulation::lock_kind::shared,
                                             simulation::lock_kind::counted};
  simulation::history history(simulation::dice(seed), kinds[seed % std::size(kinds)], trace);
  try {
    history.run();
  } catch (const simulation::failure& failure) {
    std::printf("%s\n", failure.what());
    print_current_seed();
    return false;
  }
  total.add(history.statistics());
  return true;
}

} // namespace

int main(int count, char** arguments) {
  history_options options{.histories = 20000};
  argument_list known("simulation");
  options.add_to(known);
  options.add_replay_to(known);
  if (!known.parse(count, arguments)) return EXIT_FAILURE;
  if (options.histories == 0) {
    std::puts("no seeds");
    return EXIT_FAILURE;
  }
  report_crashes(print_current_seed, options.expect_failure);

  const auto start = std::chrono::steady_clock::now();
  simulation::statistics total;
  for (std::uint64_t i = 0; i < options.histories; ++i) {
    if (run(options.seed(i), options.trace, total)) continue;
    std::printf("history %llu of %llu\n", static_cast<unsigned long long>(i + 1),
                static_cast<unsigned long long>(options.histories));
    return options.failed();
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const bool complete = total.report() || options.histories < enough_histories;
  std::printf("%llu histories in %.1f s: all rules kept\n",
              static_cast<unsigned long long>(options.histories), time.count());
  return complete ? options.kept() : EXIT_FAILURE;
}
