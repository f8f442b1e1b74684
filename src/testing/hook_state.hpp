#pragma once

#include <zklock/testing/frame.hpp>
#include <zklock/testing/hook.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace zklock::testing {

struct hook::state {
  enum class stage { waiting, claimed, fired, cancelled };

  state(direction on_way, frame_predicate picks, reaction reacts)
      : way(on_way), which(std::move(picks)), what(reacts) {}

  /// Takes it for a frame: it will fire when its turn comes behind what passed before.
  bool acquisition();
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
