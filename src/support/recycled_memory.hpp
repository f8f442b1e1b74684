#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <new>
#include <utility>

namespace zklock::detail {

/// Recycles the memory of the objects that each cycle of a lock creates and destroys, in lists of
/// the thread: an allocation costs a few instructions.
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

/// A map whose elements come and go with each cycle of a lock.
template <class Key, class Value>
using recycling_map =
    std::map<Key, Value, std::less<Key>, recycling_allocator<std::pair<const Key, Value>>>;

} // namespace zklock::detail
