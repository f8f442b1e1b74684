// A state is saved and restored with all memory that its objects use. Pieces that lists of the
// thread keep would belong to several states: here no piece is kept.
#include "support/recycled_memory.hpp"

namespace zklock::detail {

void* recycled_memory::allocate(std::size_t size) {
  return ::operator new(size);
}

void recycled_memory::deallocate(void* piece, std::size_t) noexcept {
  ::operator delete(piece);
}

} // namespace zklock::detail
