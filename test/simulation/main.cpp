#include "history.hpp"
#include "seeds.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

namespace {

struct options {
  std::uint64_t first = 1;
  std::uint64_t histories = 20000;
  std::vector<std::uint64_t> seeds{};
  bool trace = false;
  bool expect_failure = false;
};

// Too few histories need not reach everything.
constexpr std::uint64_t enough_histories = 5000;

volatile std::sig_atomic_t expects_failure = 0;
std::uint64_t current_seed = 0;

void tell_seed() {
  const auto seed = static_cast<unsigned long long>(current_seed);
  std::printf("seed %llu fails; replay it with: --seed %llu --trace\n", seed, seed);
  std::fflush(stdout);
}

// A queue that has lost its way may as well crash: which history it was is worth knowing.
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
      continue;
    }
    if (name == "--expect-failure") {
      options.expect_failure = true;
      continue;
    }
    if (i + 1 == count) return false;
    if (name == "--seeds") {
      options.seeds = simulation::read_seeds(arguments[++i]);
      options.histories = options.seeds.size();
      continue;
    }
    const std::uint64_t number = std::strtoull(arguments[++i], nullptr, 10);
    if (name == "--histories") {
      options.histories = number;
    } else if (name == "--first") {
      options.first = number;
    } else if (name == "--seed") {
      options.first = number;
      options.histories = 1;
    } else {
      return false;
    }
  }
  return true;
}

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
    tell_seed();
    return false;
  }
  total.add(history.statistics());
  return true;
}

} // namespace

int main(int count, char** arguments) {
  options options;
  if (!parse(count, arguments, options)) {
    std::puts("usage: simulation [--histories N] [--first SEED] [--seed SEED] [--seeds FILE] "
              "[--trace] [--expect-failure]");
    return EXIT_FAILURE;
  }
  if (options.histories == 0) {
    std::puts("no seeds");
    return EXIT_FAILURE;
  }
  expects_failure = options.expect_failure;
  for (const int crash : {SIGSEGV, SIGABRT})
    std::signal(crash, on_crash);

  const auto start = std::chrono::steady_clock::now();
  simulation::statistics total;
  for (std::uint64_t i = 0; i < options.histories; ++i) {
    const auto seed = options.seeds.empty() ? options.first + i : options.seeds[i];
    if (run(seed, options.trace, total)) continue;
    std::printf("history %llu of %llu\n", static_cast<unsigned long long>(i + 1),
                static_cast<unsigned long long>(options.histories));
    return options.expect_failure ? EXIT_SUCCESS : EXIT_FAILURE;
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const bool complete = total.report() || options.histories < enough_histories;
  std::printf("%llu histories in %.1f s: all rules kept\n",
              static_cast<unsigned long long>(options.histories), time.count());
  return complete && !options.expect_failure ? EXIT_SUCCESS : EXIT_FAILURE;
}
