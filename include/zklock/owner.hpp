#pragma once

#include <zklock/export.hpp>

#include <cstdint>

namespace zklock {

/// Names whoever acquires the same lock more than once: pass it with `acquire_options::by` through
/// the functions that call each other. An owner who holds a lock acquires it again at once and
/// without a request; it is given back when as many holds as were acquired are gone. While the hold
/// is in doubt the acquire waits until the session is proven again, as any acquire does.
///
/// Copies stand for the same owner. It should be used by one chain of coroutines: two that share
/// one do not exclude each other.
///
/// Thread safety: distinct objects: safe; the same object: safe, but for assigning.
class ZKLOCK_EXPORT owner {
 public:
  /// Makes an owner that is equal to no other one.
  owner() noexcept;

  /// Compares whom they stand for.
  ///
  /// Thread safety: safe.
  friend bool operator==(const owner&, const owner&) noexcept = default;

  /// Returns a number that no other owner of this process has; never 0.
  ///
  /// Thread safety: safe.
  std::uint64_t id() const noexcept { return id_; }

 private:
  std::uint64_t id_;
};

} // namespace zklock
