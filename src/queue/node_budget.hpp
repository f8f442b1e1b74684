#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

namespace zklock::queue {

/// Names what a caller of several locks has reserved; 0 names nothing.
using reservation_id = std::uint32_t;

/// How many bytes of node paths a session may own. Ending a session that owns too many kills the
/// ensemble: the transaction that deletes them outgrows what the servers accept (ZOOKEEPER-4306).
///
/// While something waits for room the budget is closed, so that nothing takes what is given back
/// for it. It may wait for as long as others hold. A part is therefore lent to locks that need
/// little: what is borrowed comes back to that part, so at most that much is kept from those that
/// wait.
///
/// What is acquired step by step has room for all of it before the first step: an entry for all
/// permits that are to replace it, a caller of several locks for all of them. Those that own
/// something therefore never wait for room, and those that wait for room keep none from others
/// (Coffman, Elphick and Shoshani 1971: no hold and wait, no deadlock).
///
/// What callers of several locks have reserved is for all of them together, since an acquisition
/// may hold by an entry that was made for another one. The entries of a lock take no more of it
/// than its acquisitions with reserved room use: `own_entries` counts that. A caller that waits for
/// room uses less than it has reserved, so that the callers of other locks leave some for it.
class node_budget {
 public:
  explicit node_budget(std::size_t bytes) noexcept : node_budget(bytes, bytes / 8) {}
  node_budget(std::size_t bytes, std::size_t lendable) noexcept
      : total_(bytes), lendable_(lendable), left_(bytes) {}

  bool has(std::size_t bytes) const noexcept { return bytes == 0 || (!closed_ && bytes <= left_); }
  bool take(std::size_t bytes) noexcept {
    if (!has(bytes)) return false;
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

  void give_back(std::size_t bytes) noexcept {
    left_ += bytes;
    ++returns_;
  }
  void repay(std::size_t bytes) noexcept { lent_ -= bytes; }

  // What callers of several locks have reserved.

  /// Reserves as much as a caller takes for its entries later, together. Returns 0 where there is
  /// no room.
  reservation_id reserve(std::size_t bytes) {
    if (!take(bytes)) return 0;
    // Four bytes, since each waiter has one: after many they begin anew.
    do
      ++last_reservation_;
    while (last_reservation_ == 0 || reserved_.contains(last_reservation_));
    reserved_.emplace(last_reservation_, bytes);
    unused_ += bytes;
    return last_reservation_;
  }

  /// Takes of what is reserved, even while the budget is closed, for a caller that has reserved.
  bool take(std::size_t bytes, reservation_id by) noexcept {
    if (!has(bytes, by)) return false;
    unused_ -= bytes;
    return true;
  }
  /// What is owed comes back to all first.
  void give_back_reserved(std::size_t bytes) noexcept {
    const auto owed = std::min(bytes, owed_);
    owed_ -= owed;
    unused_ += bytes - owed;
    give_back(owed);
  }
  bool is_any_reserved() const noexcept { return !reserved_.empty(); }
  bool has(std::size_t bytes, reservation_id by) const noexcept {
    return bytes <= unused_ && reserved_.contains(by);
  }

  /// What entries have of it now comes back with them.
  void end(reservation_id ended) noexcept {
    const auto found = reserved_.find(ended);
    if (found == reserved_.end()) return;
    const auto now = std::min(found->second, unused_);
    owed_ += found->second - now;
    unused_ -= now;
    give_back(now);
    reserved_.erase(found);
  }

  std::size_t left() const noexcept { return left_; }
  /// Rises whenever something is given back.
  std::uint64_t returns() const noexcept { return returns_; }
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
  std::uint64_t returns_ = 0;
  std::map<reservation_id, std::size_t> reserved_;
  // Of what is reserved. With what entries have taken of it, it is what is reserved and what is
  // owed.
  std::size_t unused_ = 0;
  // What was reserved by callers that have ended, and is not back yet.
  std::size_t owed_ = 0;
  reservation_id last_reservation_ = 0;
  bool closed_ = false;
  bool lends_ = false;
};

} // namespace zklock::queue
