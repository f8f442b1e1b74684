#pragma once

#include <cstddef>
#include <vector>

namespace exhaustive {

/// The memory of an explored state: while the arena is in use, `new` allocates from a single block
/// at a fixed address. A copy of the block is a copy of the state, with all objects and their
/// pointers to each other.
class arena {
 public:
  /// A copy of the used memory.
  using image = std::vector<std::byte>;

  /// While such an object lives, `new` allocates from the arena; `delete` tells arena memory by its
  /// address.
  class use {
   public:
    use() noexcept;
    ~use();
    use(const use&) = delete;
    use& operator=(const use&) = delete;
  };

  /// Forgets all objects in the arena without a call of their destructors.
  static void clear() noexcept;

  static void save(image& to);
  static void restore(const image& from) noexcept;
};

} // namespace exhaustive
