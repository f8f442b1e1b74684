#pragma once

#include <cstddef>

namespace zklock::queue {

/// What a lock needs room for, of which others are to give some back.
struct room_need {
  /// The rest of the permits that the first in line wants.
  bool is_rest = false;
  /// An acquisition whose caller holds other locks meanwhile.
  bool is_part = false;
};

/// How many bytes of node paths a session may own. Ending a session that owns too many kills the
/// ensemble: the transaction that deletes them outgrows what the servers accept (ZOOKEEPER-4306).
///
/// While something waits for room the budget is closed, so that nothing takes what is given back
/// for it. It may wait for as long as others hold. A part is therefore lent to locks that need
/// little: what is borrowed comes back to that part, so at most that much is kept from those that
/// wait.
class node_budget {
 public:
  explicit node_budget(std::size_t bytes) noexcept : node_budget(bytes, bytes / 8) {}
  node_budget(std::size_t bytes, std::size_t lendable) noexcept
      : total_(bytes), lendable_(lendable), left_(bytes) {}

  bool take(std::size_t bytes) noexcept {
    if (bytes != 0 && (closed_ || bytes > left_)) return false;
    left_ -= bytes;
    return true;
  }

  /// Takes while it is closed. `repay` goes with `give_back` then.
  bool borrow(std::size_t bytes) noexcept {
    if (!lends_ || bytes > left_ || !is_lendable(lent_ + bytes)) return false;
    left_ -= bytes;
    lent_ += bytes;
    return true;
  }

  void give_back(std::size_t bytes) noexcept { left_ += bytes; }
  void repay(std::size_t bytes) noexcept { lent_ -= bytes; }

  std::size_t left() const noexcept { return left_; }
  std::size_t total() const noexcept { return total_; }
  bool is_lendable(std::size_t bytes) const noexcept { return bytes <= lendable_; }

  /// While it is closed nothing is taken: others come first.
  void close(bool closed) noexcept { closed_ = closed; }
  bool is_closed() const noexcept { return closed_; }

  /// Whether what is lent may be borrowed: not while others wait for that, too.
  void lend(bool lends) noexcept { lends_ = lends; }

 private:
  std::size_t total_;
  std::size_t lendable_;
  std::size_t left_;
  std::size_t lent_ = 0;
  bool closed_ = false;
  bool lends_ = false;
};

} // namespace zklock::queue
