#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace zklock::testing {
class server;
} // namespace zklock::testing

namespace soak {

/// The counts of the program and of the server while no lock is in use.
struct sample {
  double seconds = 0;
  std::uint64_t grants = 0;
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  /// Bytes of the program's heap that are in use.
  std::size_t heap = 0;
  /// Bytes of the program that are in memory.
  std::size_t resident = 0;
  std::size_t watches = 0;
  std::size_t nodes = 0;
  std::size_t connections = 0;
};

sample take_sample(const zklock::testing::server& of);

/// Writes a line of numbers in the order of the members, with a line of names before the first.
void write_names(std::ostream& out);
std::ostream& operator<<(std::ostream& out, const sample& one);

/// Compares the last third of the samples with the second third. The first third is not judged: the
/// clients still meet paths for the first time. Returns the counts that have grown.
std::vector<std::string> grown(const std::vector<sample>& all);

} // namespace soak
