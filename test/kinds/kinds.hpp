#pragma once

#include "support/background.hpp"

#include <array>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock::test {

/// The kinds of locks; the two sides of a `shared_mutex`, and a single or all permits of a
/// semaphore.
enum class kind { exclusive, writer, reader, permit, permits };

inline std::ostream& operator<<(std::ostream& out, kind value) {
  constexpr std::array names{"mutex", "writer", "reader", "permit", "permits"};
  return out << names[static_cast<std::size_t>(value)];
}

inline constexpr std::array all_kinds{kind::exclusive, kind::writer, kind::reader, kind::permit,
                                      kind::permits};

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
  case kind::permits:
    return semaphore(zk, path, 3).permits(3);
  }
  throw std::logic_error("no such kind");
}

/// The number of nodes that a hold of this kind has.
inline std::size_t nodes_of(kind what) {
  return what == kind::permits ? 3 : 1;
}

/// The directories of a lock of this kind.
inline std::vector<std::string> directories_of(kind what, const std::string& path) {
  if (what == kind::permit || what == kind::permits)
    return {path, path + "/locks", path + "/leases"};
  return {path};
}

} // namespace zklock::test
