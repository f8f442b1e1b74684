#pragma once

#include "client/made_directories.hpp"
#include "queue/idle_knowledge.hpp"

namespace zklock::detail {

/// The part of a lock's driver that is worth keeping when nothing uses the lock.
struct idle_lock {
  queue::idle_knowledge known{};
  made_directories made{};
  /// Whether the last write on this connection has succeeded.
  bool writes_succeed = false;

  /// The connection is gone, and the watch with it.
  void disconnected() noexcept {
    known.watch_lost();
    writes_succeed = false;
  }
};

} // namespace zklock::detail
