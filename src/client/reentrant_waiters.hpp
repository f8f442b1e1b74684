#pragma once

#include "client/acquisition.hpp"

#include <memory>
#include <vector>

namespace zklock::detail {

class client_impl;

/// The acquisitions of owners that hold the lock already, while the session is in doubt. When it is
/// proven, each gets another hold, or gets in line if the hold has ended. And those of a lock whose
/// path the client keeps as another kind of lock, until that is given back. Used on the client's
/// strand only.
///
/// Invariant: an acquisition that has started and waits is either in a lock or here.
class reentrant_waiters {
 public:
  explicit reentrant_waiters(client_impl& client) noexcept : client_(client) {}

  void add(const std::shared_ptr<acquisition>& c) { waiters_.push_back(c); }

  /// Called after all that may prove the session, end a hold, or make way for another kind of lock.
  void look();

  /// Ends all of them.
  void refuse_all(error_code why);

  /// The execution context is being destroyed. Returns those that were left.
  std::vector<std::shared_ptr<acquisition>> abandon() noexcept;

 private:
  void serve();

  client_impl& client_;
  std::vector<std::shared_ptr<acquisition>> waiters_;
  bool looking_ = false;
};

} // namespace zklock::detail
