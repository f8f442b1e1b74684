#pragma once

#include "testing/frame.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace zklock::testing {

/// A reaction of a relay to a frame. The hook fires once. Copies share the hook, and the destructor
/// does not cancel it.
///
/// Thread safety: safe.
class hook {
 public:
  /// The state of a hook, which its relay shares.
  struct state;

  explicit hook(std::shared_ptr<state> shared);

  /// Returns whether the hook has fired.
  bool fired() const;

  /// Blocks until the hook has fired, for `limit` at most. Throws `error` at the limit, or if the
  /// hook is cancelled.
  void wait(std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

  /// Prevents the hook from firing. Returns whether it has fired already.
  bool cancel();

  /// Returns the number of the connection on which the hook has fired, or 0.
  std::uint64_t connection() const;

 private:
  std::shared_ptr<state> state_;
};

struct hook::state {
  enum class stage { waiting, selected, fired, cancelled };

  state(direction on_way, frame_predicate picks, reaction reacts)
      : way(on_way), which(std::move(picks)), what(reacts) {}

  /// Assigns the hook to a frame. The hook fires when the relay has written the frame. Returns
  /// false if the hook has fired or was cancelled.
  bool select();
  void fire(std::uint64_t on_connection);

  const direction way;
  const frame_predicate which;
  const reaction what;

  std::mutex mutex;
  std::condition_variable changed;
  stage now = stage::waiting;
  std::uint64_t connection = 0;
};

} // namespace zklock::testing
