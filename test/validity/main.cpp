// Searches for a history in which the leader ends a session before the promised time:
//
//   validity [--histories N] [--first SEED] [--expect-failure]
#include "history.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int count, char** arguments) {
  std::uint64_t histories = 100'000;
  std::uint64_t first = 1;
  bool expect_failure = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--expect-failure") {
      expect_failure = true;
    } else if (i + 1 < count && name == "--histories") {
      histories = std::strtoull(arguments[++i], nullptr, 10);
    } else if (i + 1 < count && name == "--first") {
      first = std::strtoull(arguments[++i], nullptr, 10);
    } else {
      std::puts("usage: validity [--histories N] [--first SEED] [--expect-failure]");
      return EXIT_FAILURE;
    }
  }

  validity::totals totals;
  for (auto seed = first; seed < first + histories; ++seed) {
    const auto fault = validity::history(seed, totals).run();
    if (fault.empty()) continue;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), fault.c_str());
    return expect_failure ? EXIT_SUCCESS : EXIT_FAILURE;
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
  return reached && !expect_failure ? EXIT_SUCCESS : EXIT_FAILURE;
}
