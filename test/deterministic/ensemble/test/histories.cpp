#include "history.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstdlib>

namespace ensemble_test {

BOOST_AUTO_TEST_SUITE(deterministic_ensemble)

// ZKLOCK_ENSEMBLE_HISTORIES runs more histories, ZKLOCK_ENSEMBLE_SEED traces a single history.
BOOST_AUTO_TEST_CASE(keeps_the_promises_of_zookeeper_in_random_histories) {
  totals totals;
  const auto* seed = std::getenv("ZKLOCK_ENSEMBLE_SEED");
  if (seed != nullptr) {
    const auto trace = [](const std::string& line) { std::puts(line.c_str()); };
    BOOST_TEST(history(std::strtoull(seed, nullptr, 10), totals, trace).run() == "");
    return;
  }
  const auto* wanted = std::getenv("ZKLOCK_ENSEMBLE_HISTORIES");
  const auto count = wanted == nullptr ? 1000 : std::strtoull(wanted, nullptr, 10);
  for (std::uint64_t each = 1; each <= count; ++each) {
    const auto fault = history(each, totals).run();
    BOOST_REQUIRE_MESSAGE(fault.empty(), "seed " << each << ": " << fault);
  }
  BOOST_TEST_MESSAGE(totals.commits
                     << " commits, " << totals.elections << " elections, " << totals.expiries
                     << " expiries, " << totals.expiries_after_proof << " soon after a proof, "
                     << totals.sessions << " sessions, " << totals.events << " events");
  BOOST_TEST(totals.elections > 3 * count);
  BOOST_TEST(totals.expiries > count / 2);
  BOOST_TEST(totals.expiries_after_proof > 0u);
  BOOST_TEST(totals.events > count);
}

BOOST_AUTO_TEST_CASE(history_depends_only_on_its_seed) {
  const auto trace_of = [](std::uint64_t seed) {
    totals totals;
    std::string trace;
    history(seed, totals, [&](const std::string& line) { trace += line + '\n'; }).run();
    return trace;
  };
  for (const std::uint64_t seed : {7U, 8U, 9U}) {
    const auto trace = trace_of(seed);
    // Other addresses than in the first run.
    const std::string in_between(seed * 100'000, ' ');
    BOOST_TEST((trace == trace_of(seed)));
    BOOST_TEST((trace != trace_of(seed + 100)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace ensemble_test
