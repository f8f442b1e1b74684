#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace simulation {

/// Reads a file of seeds that have found a fault: lines that begin with a seed, and describe the
/// fault.
inline std::vector<std::uint64_t> read_seeds(const char* file) {
  std::vector<std::uint64_t> seeds;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') seeds.push_back(std::strtoull(line.c_str(), nullptr, 10));
  return seeds;
}

} // namespace simulation
