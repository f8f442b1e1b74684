#pragma once

#include <zklock/testing/frame.hpp>
#include <zklock/testing/hook.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace zklock::testing {

struct hook::state {
  enum class stage { waiting, selected, fired, cancelled };

  state(direction on_way, frame_predicate picks, reaction reacts)
      : way(on_way), which(std::move(picks)), what(reacts) {}

  /// Assigns the hook to a frame. It fires when the relay has written the frame. Returns false if
  /// the hook does not wait any more.
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
