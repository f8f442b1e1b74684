#pragma once

#include <cstddef>
#include <vector>

namespace exhaustive {

/// The memory of a state that is explored: all that `new` takes while it is in use lies in one
/// block at a fixed address. A copy of the block is a copy of the state, whatever classes it is
/// made of, with their pointers to each other.
class arena {
 public:
  /// A copy of what is in use.
  using image = std::vector<std::byte>;

  /// While one of these lives `new` takes memory of the arena; `delete` knows by the address.
  class use {
   public:
    use() noexcept;
    ~use();
    use(const use&) = delete;
    use& operator=(const use&) = delete;
  };

  /// Forgets all that is in it: nothing of that is destroyed.
  static void clear() noexcept;

  static void save(image& to);
  static void restore(const image& from) noexcept;
};

} // namespace exhaustive
