#pragma once

#include <zklock/export.hpp>

#include <cstdint>

namespace zklock {

/// Makes locks reentrant for one chain of calls. Functions that call each other and acquire the
/// same lock pass it along as `acquire_options::by`. An owner that holds a lock acquires it again
/// at once and without a request. The lock is given back with the last of these holds. While the
/// hold is in doubt, such an acquire waits until the session is proven again, as any acquire does.
///
/// Copies are the same owner. One chain of coroutines should use it: two that share an owner do not
/// exclude each other.
///
/// Thread safety: distinct objects: safe; the same object: safe, except for assigning.
class ZKLOCK_EXPORT owner {
 public:
  /// Makes an owner that is equal to no other one.
  ///
  /// Thread safety: safe.
  owner() noexcept;

  /// Returns whether both are the same owner, or copies of it.
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
