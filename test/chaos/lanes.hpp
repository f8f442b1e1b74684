#pragma once

#include "chaos/checker.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace chaos {

/// A part of a lane with a single colour, in columns.
struct stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t process = 0;
};

/// The holds of a lock in a picture: lanes of columns. Holds that last simultaneously are in
/// different lanes. A column has the colour of the process that holds the lock for the longest part
/// of it.
struct lanes_of_lock {
  std::string lock;
  std::vector<std::vector<stretch>> lanes;
};

/// Arranges the claims in a span of time. Writers and readers of a lock share its lanes; a writer
/// takes all of them.
std::vector<lanes_of_lock> arrange(const std::vector<claim>& claims, const span& window,
                                   std::size_t columns);

/// Returns the index of the client in the name of a process: 4 of `k4.7`.
std::size_t client_of(const std::string& process);

} // namespace chaos
