#pragma once

#include "chaos/plan.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace chaos {

/// The options of a run.
struct options {
  double minutes = 1;
  std::uint64_t seed = 0;
  /// For the results; empty for none.
  std::filesystem::path out;
  /// `namespaces`, `relay`, or empty for the first of the two that works.
  std::string network;
  /// The kinds of faults that occur; empty for all of them.
  std::set<fault_kind> only;
  bool logs = false;
  bool help = false;
};

inline constexpr const char* usage =
    R"(Usage: test/chaos/run [--minutes N] [--seed S] [--out DIR] [--logs]
                      [--network namespaces|relay] [--only FAULT[,FAULT]...]

Runs an ensemble of three servers and six client processes under random faults, and checks what the
processes have seen. The status is 0 when nothing is wrong.

  --minutes N   the length of the run; 1 by default. Starting and checking take about a minute more
  --seed S      the seed of the plan of faults, and of the choices of the clients; a random one by
                default. The plan depends on the seed alone. What the processes make of it depends
                on their timing, too
  --out DIR     write result.json, run.svg, summary.json without lists, and on a violation the
                logs, into this folder
  --logs        write the logs without a violation, too
  --network N   namespaces: every server and every client process has a network namespace.
                relay: relays on the loopback interface. By default the first that is permitted
  --only FAULT  only faults of these kinds, as the summary names them: "kill a server,block a loop"
)";

/// Reads the command line. Throws `std::invalid_argument`.
options read_options(int count, char** arguments);

} // namespace chaos
