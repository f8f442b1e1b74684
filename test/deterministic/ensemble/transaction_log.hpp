#pragma once

#include "transaction.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace deterministic::servers {

/// The transaction log of a replica. It survives a crash, except for unflushed entries.
///
/// Invariant: the entries are sorted by zxid, and follow `base()`.
class transaction_log {
 public:
  zxid last() const noexcept { return entries_.empty() ? base_ : entries_.back()->id; }
  /// The transaction before the first entry: older transactions are in the snapshot only.
  zxid base() const noexcept { return base_; }
  std::size_t size() const noexcept { return entries_.size(); }

  void append(entry what) { entries_.push_back(std::move(what)); }
  /// Removes all entries behind the transaction.
  void truncate(zxid after);
  /// Forgets the oldest entries but for so many, up to a transaction.
  void forget(std::size_t kept, zxid up_to);
  /// Forgets all: a snapshot takes their place.
  void restart(zxid base);

  /// Returns the newest transaction here that is not newer than the given transaction.
  zxid newest_up_to(zxid id) const noexcept;
  std::vector<entry> following(zxid after) const;

 private:
  std::deque<entry>::const_iterator behind(zxid id) const noexcept;

  std::deque<entry> entries_;
  zxid base_ = 0;
};

} // namespace deterministic::servers
