#pragma once

#include <zklock/error.hpp>

#include "client/operation.hpp"

#include <boost/asio/error.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace zklock::detail {

/// The release of an acquisition's hold, until no node is left. Used on the client's strand only,
/// except the functions that are marked.
///
/// Invariant: a hold object is released once.
class hold_release {
 public:
  // Any thread.

  /// Marks the hold of the acquire as released. Returns false if the hold was released before.
  bool mark() noexcept { return !released_.exchange(true, std::memory_order_acq_rel); }
  bool is_marked() const noexcept { return released_.load(std::memory_order_acquire); }

  // The strand.

  /// Adds a hold of the owner, which must be released, too.
  void share() noexcept { ++shares_; }
  /// Removes a released hold of the owner. Returns whether no hold is left.
  bool unshare() noexcept { return --shares_ == 0; }
  bool is_shared() const noexcept { return shares_ > 1; }

  /// Sets the operation that waits until no node is left.
  void wait(operation<error_code> op) noexcept { waiting_ = std::move(op); }
  /// Returns the operation that waits, if any, which does not wait any more.
  operation<error_code> take() noexcept { return std::exchange(waiting_, nullptr); }
  void cancel(const operation<error_code>& op) {
    if (op == waiting_) take()->post(boost::asio::error::operation_aborted);
  }

  /// No node is left.
  void forget(error_code result) noexcept {
    is_forgotten_ = true;
    result_ = result;
  }
  bool is_forgotten() const noexcept { return is_forgotten_; }
  error_code result() const noexcept { return result_; }

 private:
  std::atomic<bool> released_{false};
  bool is_forgotten_ = false;
  std::uint32_t shares_ = 1;
  error_code result_;
  operation<error_code> waiting_;
};

} // namespace zklock::detail
