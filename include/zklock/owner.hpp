#pragma once

#include <zklock/export.hpp>

#include <cstdint>

namespace zklock {

/// Makes locks reentrant for a chain of calls. Functions that call each other and acquire a lock
/// pass the owner along as `acquire_options::owner`. An owner that holds a lock acquires it again
/// at once and without a request. The lock is released with the owner's last hold. While the hold
/// is in doubt, a further acquire waits until the session is proven again.
///
/// Copies are equal, and count as a single owner. A single chain of coroutines should use an owner:
/// two chains that share an owner do not exclude each other.
///
/// Thread safety: distinct objects, and the const functions of a shared object, may be used
/// concurrently.
class ZKLOCK_EXPORT owner {
 public:
  /// Makes an owner that is equal to no other owner.
  ///
  /// Thread safety: safe.
  owner() noexcept;

  /// Returns whether the owners are copies of each other.
  ///
  /// Thread safety: safe.
  friend bool operator==(const owner&, const owner&) noexcept = default;

  /// Returns a number that no other owner of this process has; never 0.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

 private:
  std::uint64_t id_;
};

} // namespace zklock
