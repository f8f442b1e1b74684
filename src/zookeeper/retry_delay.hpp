#pragma once

#include "zookeeper/backoff.hpp"

#include <algorithm>
#include <chrono>

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

  /// A connection was stable.
  void reset() noexcept {
    backoff_.reset();
    turned_away_ = false;
  }

 private:
  backoff backoff_;
  bool turned_away_ = false;
};

} // namespace zklock::zookeeper
