#pragma once

#include "support/background.hpp"

#include <array>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock::test {

/// The kinds of locks, each with the ways in which it is asked for.
enum class kind { exclusive, writer, reader, permit };

inline std::ostream& operator<<(std::ostream& out, kind value) {
  constexpr std::array names{"mutex", "writer", "reader", "permit"};
  return out << names[static_cast<std::size_t>(value)];
}

inline constexpr std::array all_kinds{kind::exclusive, kind::writer, kind::reader, kind::permit};

/// Makes a lock of this kind.
inline any_lock make(kind what, const client& zk, const std::string& path) {
  switch (what) {
  case kind::exclusive:
    return mutex(zk, path);
  case kind::writer:
    return shared_mutex(zk, path);
  case kind::reader:
    return shared_mutex(zk, path).shared();
  case kind::permit:
    return semaphore(zk, path, 1);
  }
  throw std::logic_error("no such kind");
}

/// The directories of a lock of this kind.
inline std::vector<std::string> directories_of(kind what, const std::string& path) {
  if (what == kind::permit) return {path, path + "/locks", path + "/leases"};
  return {path};
}

} // namespace zklock::test
