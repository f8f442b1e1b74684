#pragma once

#include <zklock/export.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace zklock::testing {

/// A reaction of a relay to a certain frame. It fires once. Copies refer to the same hook;
/// destroying them cancels nothing.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT hook {
 public:
  /// Returns whether it has fired.
  bool fired() const;

  /// Waits until it has fired, for `limit` at most. Throws `error` when it has not by then, and
  /// when it was cancelled.
  void wait(std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

  /// Keeps it from firing later. Returns whether it had fired.
  bool cancel();

  /// Returns the number of the connection on which it fired; 0 when it has not.
  std::uint64_t connection() const;

  /// The part that the relay shares.
  struct state;
  /// Makes a copy of a relay's hook; for relays.
  explicit hook(std::shared_ptr<state> shared);

 private:
  std::shared_ptr<state> state_;
};

} // namespace zklock::testing
