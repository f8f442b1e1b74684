#pragma once

#include <zklock/export.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace zklock::testing {

/// A reaction of a relay to one frame. It fires once. Copies refer to the same hook, and the
/// destructor does not cancel it.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT hook {
 public:
  /// Returns whether the hook has fired.
  bool fired() const;

  /// Blocks until the hook has fired, for `limit` at most. Throws `error` at the limit, or if the
  /// hook is cancelled.
  void wait(std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

  /// Prevents the hook from firing. Returns whether it has fired already.
  bool cancel();

  /// Returns the number of the connection on which the hook has fired, or 0.
  std::uint64_t connection() const;

  /// The state shared with the relay.
  struct state;
  /// Constructs a hook from a relay's state. For relays only.
  explicit hook(std::shared_ptr<state> shared);

 private:
  std::shared_ptr<state> state_;
};

} // namespace zklock::testing
