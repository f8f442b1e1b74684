#pragma once

#include <cstddef>
#include <new>

namespace zklock::zookeeper {

/// Recycles the memory of tasks, operations and completions in lists of the thread: an allocation
/// of a lock's cycle costs a few instructions.
///
/// Asio's recycling allocator keeps two pieces for all sizes, and deletes a kept piece that is too
/// small. A cycle needs pieces of several sizes, which would be allocated each time.
class recycled_memory {
 public:
  /// Throws `std::bad_alloc`.
  static void* allocate(std::size_t size);

  /// Any thread. `size` is the argument of the call of `allocate`.
  static void deallocate(void* piece, std::size_t size) noexcept;
};

template <class T>
struct recycling_allocator {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  using value_type = T;

  recycling_allocator() = default;
  template <class U>
  recycling_allocator(const recycling_allocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(recycled_memory::allocate(count * sizeof(T)));
  }
  void deallocate(T* piece, std::size_t count) noexcept {
    recycled_memory::deallocate(piece, count * sizeof(T));
  }

  friend bool operator==(recycling_allocator, recycling_allocator) = default;
};

} // namespace zklock::zookeeper
