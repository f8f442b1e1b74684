#pragma once

#include "client/acquisition.hpp"
#include "client/line_tickets.hpp"
#include "client/lock_line.hpp"
#include "client/requester.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// The owners that hold a lock or wait for it: a further acquire of an owner that holds the lock is
/// reentrant. Used on the client's strand only.
///
/// Invariant: an owner has at most a single acquisition that waits for the lock or holds it.
class lock_owners {
 public:
  lock_owners(lock_line& line, line_tickets& tickets, requester& by) noexcept
      : line_(line), tickets_(tickets), requester_(by) {}

  /// Serves an acquisition by an owner. Returns false if the owner does not hold the lock: the
  /// acquisition stays in line.
  bool serve(acquisition& c);

  /// Serves the acquisitions again that wait for a proof of the session.
  void serve_again();
  bool is_any_waiting() const noexcept { return !unproven_.empty(); }
  /// The acquisitions that wait for a proof of the session.
  const std::vector<std::shared_ptr<acquisition>>& waiting() const noexcept { return unproven_; }
  /// Takes the acquisitions that wait for a proof out of the line, and returns them.
  std::vector<std::shared_ptr<acquisition>> take_waiting();

  /// Whether an owner holds the lock.
  bool holds(std::uint64_t owner) const noexcept;
  /// The owner of an acquisition does not hold the lock any more, and does not wait for it.
  void forget(const acquisition& c) noexcept;

 private:
  /// The outcome of an owner's acquire.
  enum class sharing : std::uint8_t {
    /// The owner does not hold the lock: the acquisition gets in line.
    none,
    /// The owner holds the lock, but the session is not proven: nothing is granted yet.
    unproven,
    /// The acquisition was granted or refused.
    done,
  };

  sharing share(acquisition& c);

  lock_line& line_;
  line_tickets& tickets_;
  requester& requester_;
  // The newest acquisition of each owner.
  std::unordered_map<std::uint64_t, std::weak_ptr<acquisition>> newest_;
  // The acquisitions that wait for a proof of the session.
  std::vector<std::shared_ptr<acquisition>> unproven_;
};

} // namespace zklock::detail
