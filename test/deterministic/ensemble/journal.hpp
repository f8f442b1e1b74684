#pragma once

#include "process.hpp"
#include "transaction_log.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace deterministic::servers {

/// Writes a replica's log to its disk. Entries that arrive during a flush wait for the next flush,
/// as in ZooKeeper's `SyncRequestProcessor`.
class journal {
 public:
  journal(process& on, simulation::dice& dice) : process_(on), dice_(dice) {}

  const transaction_log& log() const noexcept { return log_; }

  /// Appends an entry, and runs the function when it is on the disk.
  void append(entry what, std::function<void()> flushed);
  /// Runs the function when all that was appended is on the disk.
  void flush(std::function<void()> flushed);
  /// Forgets the functions, and writes all to the disk.
  void settle();

  void truncate(zxid after) { log_.truncate(after); }
  void forget(std::size_t kept, zxid up_to) { log_.forget(kept, up_to); }
  void restart(zxid base) { log_.restart(base); }

  /// Some unflushed entries are lost, but none up to the given transaction.
  void crash(zxid applied);
  /// Flushes take up to that long.
  void slow(time_point most) { slow_ = most; }

 private:
  struct waiter {
    zxid last;
    std::function<void()> flushed;
  };

  void begin();
  void finish(std::size_t count);

  process& process_;
  simulation::dice& dice_;
  transaction_log log_;
  zxid durable_ = 0;
  time_point slow_{};
  bool flushing_ = false;
  process::timer timer_ = 0;
  std::vector<waiter> waiters_;
};

} // namespace deterministic::servers
