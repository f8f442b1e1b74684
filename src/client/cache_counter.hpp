#pragma once

#include <atomic>
#include <cstddef>

namespace zklock::detail {

/// Counts the cached entries of a client. Any thread, except `add` and `clear`, which belong to the
/// strand.
///
/// The strand takes an entry that is held on the fast path for a cached entry, so such entries are
/// counted apart.
///
/// Invariant: each entry that is counted as used is counted as unused later.
class cache_counter {
 public:
  /// The number of cached entries, as the strand knows them.
  std::size_t known() const noexcept { return known_.load(std::memory_order_relaxed); }
  /// The number of cached entries that are not held.
  std::size_t unused() const noexcept {
    const auto used = used_.load(std::memory_order_relaxed);
    const auto all = known();
    return all > used ? all - used : 0;
  }

  void add(std::size_t now, std::size_t before) noexcept {
    known_.store(known() + now - before, std::memory_order_relaxed);
  }
  void clear() noexcept { known_.store(0, std::memory_order_relaxed); }

  /// A cached entry is held on the fast path from now on, or is not any more.
  void note_used() noexcept { used_.fetch_add(1, std::memory_order_relaxed); }
  void note_unused() noexcept { used_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> known_{0};
  std::atomic<std::size_t> used_{0};
};

} // namespace zklock::detail
