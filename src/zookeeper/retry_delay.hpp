#pragma once

#include "zookeeper/backoff.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace zklock::zookeeper {

/// The delay before the next round of attempts to connect.
///
/// A server that turns the client away may do so for ever, so it is asked less often than a server
/// that may start at any moment. A third of the session timeout is short enough to keep a session
/// that exists.
class retry_delay {
 public:
  template <class Engine>
  std::chrono::milliseconds next(Engine& engine, std::chrono::milliseconds session_timeout) {
    return backoff_.next(engine, turned_away_ ? std::max(session_timeout / 3, backoff::usual_bound)
                                              : backoff::usual_bound);
  }

  /// A server has turned the client away.
  void turned_away() noexcept { turned_away_ = true; }

  /// Whether the round that asks for another session begins at once: only the first such round
  /// since a connection was stable. Where servers differ, a server may grant a session and be of no
  /// use, and another server may not know of the session.
  bool may_replace() noexcept { return !std::exchange(has_replaced_, true); }

  /// A connection was stable.
  void reset() noexcept {
    backoff_.reset();
    turned_away_ = has_replaced_ = false;
  }

 private:
  backoff backoff_;
  bool turned_away_ = false;
  bool has_replaced_ = false;
};

} // namespace zklock::zookeeper
