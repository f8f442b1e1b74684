#pragma once

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace zklock::test {

namespace crash {

inline bool (*report)() = nullptr;
inline volatile std::sig_atomic_t is_expected = 0;

inline void on_signal(int signal) {
  if (report() && is_expected) std::_Exit(EXIT_SUCCESS);
  std::signal(signal, SIG_DFL);
}

} // namespace crash

/// Calls `report` if this program crashes: a broken library may crash instead of breaking a rule.
/// The program then succeeds if a failure is expected and `report` returns true.
inline void report_crashes(bool (*report)(), bool is_failure_expected) {
  crash::report = report;
  crash::is_expected = is_failure_expected;
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE})
    std::signal(signal, crash::on_signal);
}

/// The seed of the history that runs now.
inline std::uint64_t current_seed = 0;

/// Prints how to replay the history that runs now; returns true.
inline bool print_current_seed() {
  const auto seed = static_cast<unsigned long long>(current_seed);
  std::printf("seed %llu fails; replay it with: --seed %llu --trace\n", seed, seed);
  std::fflush(stdout);
  return true;
}

} // namespace zklock::test
