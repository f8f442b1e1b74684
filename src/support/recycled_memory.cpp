#include "support/recycled_memory.hpp"

#include <array>
#include <cstdint>

namespace zklock::detail {

namespace {

// The granularity of malloc: rounding up loses nothing.
constexpr std::size_t unit = 16;
constexpr std::size_t largest = 64 * unit;

// Set once the thread's lists are destroyed: objects that are destroyed later have no list.
thread_local bool has_ended = false;

/// The pieces of a thread, by their sizes in units.
class free_pieces {
 public:
  constexpr free_pieces() = default;
  free_pieces(const free_pieces&) = delete;
  free_pieces& operator=(const free_pieces&) = delete;
  ~free_pieces() {
    has_ended = true;
    for (auto& each : lists_)
      while (void* const left = take(each))
        ::operator delete(left);
  }

  void* take(std::size_t size) noexcept { return take(of(size)); }

  bool put(void* piece, std::size_t size) noexcept {
    list& to = of(size);
    if (to.count == most) return false;
    to.first = new (piece) free_piece{to.first};
    ++to.count;
    return true;
  }

 private:
  // Enough for the pieces that a few handlers free before other handlers need them.
  static constexpr std::uint32_t most = 4;

  struct free_piece {
    free_piece* next;
  };
  struct list {
    free_piece* first = nullptr;
    std::uint32_t count = 0;
  };

  list& of(std::size_t size) noexcept { return lists_[(size - 1) / unit]; }

  static void* take(list& from) noexcept {
    free_piece* const taken = from.first;
    if (!taken) return nullptr;
    from.first = taken->next;
    --from.count;
    return taken;
  }

  std::array<list, largest / unit> lists_{};
};

thread_local free_pieces pieces;

} // namespace

// Each piece of a list has the largest size of the list, whichever thread has allocated it.
void* recycled_memory::allocate(std::size_t size) {
  if (size > largest) return ::operator new(size);
  if (!has_ended)
    if (void* const taken = pieces.take(size)) return taken;
  return ::operator new((size + unit - 1) / unit * unit);
}

void recycled_memory::deallocate(void* piece, std::size_t size) noexcept {
  if (size > largest || has_ended || !pieces.put(piece, size)) ::operator delete(piece);
}

} // namespace zklock::detail
