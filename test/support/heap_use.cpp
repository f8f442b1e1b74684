#include "support/heap_use.hpp"

#include <cstdlib>
#include <new>

using zklock::test::use;

namespace {

// The size of each piece is stored in front of it.
constexpr std::size_t front = alignof(std::max_align_t);

} // namespace

void* operator new(std::size_t size) {
  void* const piece = std::malloc(front + size);
  if (!piece) throw std::bad_alloc();
  *static_cast<std::size_t*>(piece) = size;
  ++use.allocations;
  use.bytes += static_cast<std::ptrdiff_t>(size);
  return static_cast<std::byte*>(piece) + front;
}

void operator delete(void* user) noexcept {
  if (!user) return;
  void* const piece = static_cast<std::byte*>(user) - front;
  use.bytes -= static_cast<std::ptrdiff_t>(*static_cast<std::size_t*>(piece));
  std::free(piece);
}

void operator delete(void* user, std::size_t) noexcept {
  operator delete(user);
}

// Asio allocates here the memory that its threads reuse. The release of it is not counted.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  void* piece = nullptr;
  if (posix_memalign(&piece, alignment, size) != 0) return nullptr;
  ++use.allocations;
  use.bytes += static_cast<std::ptrdiff_t>(size);
  return piece;
}
