#include "arena.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace exhaustive {

namespace {

constexpr std::size_t unit = 16;
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ <= unit);

// A block that is free is in the list of its size.
struct block {
  std::size_t list;
  block* next;
};
static_assert(sizeof(block) == unit);

constexpr std::size_t small_sizes = 64;

/// Lies at the beginning of the arena, so that it is copied, too.
struct header {
  std::size_t used;
  // Multiples of the unit, then powers of two.
  std::array<block*, small_sizes + 16> free;
};

constexpr std::size_t size = std::size_t{1} << 20;
alignas(unit) std::byte arena_bytes[size];
bool in_use = false;

header& head() noexcept {
  return *reinterpret_cast<header*>(arena_bytes);
}

constexpr std::size_t first_block = (sizeof(header) + unit - 1) / unit * unit;

bool contains(const void* at) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto begin = reinterpret_cast<std::uintptr_t>(arena_bytes);
  return address >= begin && address < begin + size;
}

void* take(std::size_t bytes) {
  std::size_t units = (bytes + unit - 1) / unit;
  std::size_t list = units;
  if (units >= small_sizes) {
    units = std::bit_ceil(units);
    list = small_sizes + static_cast<std::size_t>(std::countr_zero(units / small_sizes));
  }
  header& all = head();
  if (all.used == 0) all.used = first_block;
  block* made = all.free.at(list);
  if (made) {
    all.free[list] = made->next;
  } else {
    const auto needed = (units + 1) * unit;
    if (needed > size - all.used) {
      std::abort(); // Far more than any state needs.
    }
    made = reinterpret_cast<block*>(arena_bytes + all.used);
    all.used += needed;
    made->list = list;
  }
  return made + 1;
}

void give_back(void* at) noexcept {
  block* const freed = static_cast<block*>(at) - 1;
  header& all = head();
  freed->next = all.free[freed->list];
  all.free[freed->list] = freed;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (in_use && alignment <= unit) return take(bytes);
  void* const made =
      alignment <= unit
          ? std::malloc(bytes == 0 ? 1 : bytes)
          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!made) throw std::bad_alloc();
  return made;
}

void release(void* at) noexcept {
  if (contains(at))
    give_back(at);
  else
    std::free(at);
}

} // namespace

arena::use::use() noexcept {
  in_use = true;
}

arena::use::~use() {
  in_use = false;
}

void arena::clear() noexcept {
  head() = {};
}

void arena::save(image& to) {
  to.assign(arena_bytes, arena_bytes + head().used);
}

// Memory behind the copy belongs to blocks that the copy does not know.
void arena::restore(const image& from) noexcept {
  std::memcpy(arena_bytes, from.data(), from.size());
}

} // namespace exhaustive

// Outside the arena the operators do the work of the standard library's operators.

void* operator new(std::size_t bytes) {
  return exhaustive::allocate(bytes, 1);
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return exhaustive::allocate(bytes, static_cast<std::size_t>(alignment));
}

void operator delete(void* at) noexcept {
  exhaustive::release(at);
}

void operator delete(void* at, std::size_t) noexcept {
  exhaustive::release(at);
}

void operator delete(void* at, std::align_val_t) noexcept {
  exhaustive::release(at);
}

void operator delete(void* at, std::size_t, std::align_val_t) noexcept {
  exhaustive::release(at);
}
