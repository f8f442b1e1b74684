#pragma once

#include <zklock/export.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace zklock::testing {

/// Something a relay was told to do when a certain frame comes by, and did or did not do yet. It
/// happens once. Copies refer to the same; destroying them cancels nothing.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT hook {
 public:
  /// Returns whether it has happened.
  bool fired() const;

  /// Waits until it has happened, `limit` at most. Throws `error` when it has not by then, and
  /// when it was cancelled.
  void wait(std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

  /// Sees to it that it does not happen any more, if it has not. Returns whether it had.
  bool cancel();

  /// Returns the number of the connection on which it happened; 0 when it has not.
  std::uint64_t connection() const;

  struct state;
  explicit hook(std::shared_ptr<state> shared);

 private:
  std::shared_ptr<state> state_;
};

} // namespace zklock::testing
