// Searches for a history in which the leader ends a session before the promised time.
#include "history.hpp"
#include "support/history_options.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  zklock::test::history_options options{.histories = 100'000};
  zklock::test::argument_list known("validity");
  options.add_to(known);
  if (!known.parse(count, arguments)) return EXIT_FAILURE;

  validity::totals totals;
  for (std::uint64_t i = 0; i < options.histories; ++i) {
    const auto seed = options.seed(i);
    const auto fault = validity::history(seed, totals).run();
    if (fault.empty()) continue;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), fault.c_str());
    return options.failed();
  }
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf(
      "%llu histories: %llu ends, %llu of them within a session timeout after the time that "
      "was promised, the least margin %.3f s; %llu proofs, %llu reconnects, %llu lost notes\n",
      number(totals.histories), number(totals.ends), number(totals.ends_while_proven_lately),
      std::chrono::duration<double>(totals.least_margin).count(), number(totals.proofs),
      number(totals.reconnects), number(totals.lost_notes));
  const bool reached = totals.ends_while_proven_lately > totals.histories / 20 &&
                       totals.proofs > totals.histories &&
                       totals.lost_notes > totals.histories / 20;
  return reached ? options.kept() : EXIT_FAILURE;
}
