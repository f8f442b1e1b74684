#pragma once

#include <malloc.h>

#include <cstddef>

namespace zklock::test {

/// The allocations of a thread, except by the C client. Counted in programs that are linked
/// with heap_use.cpp.
struct heap_use {
  std::ptrdiff_t allocations = 0;
  std::ptrdiff_t bytes = 0;
};

inline thread_local heap_use use;

/// The bytes of the heap that the whole process uses.
inline std::size_t heap_in_use() noexcept {
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

} // namespace zklock::test
