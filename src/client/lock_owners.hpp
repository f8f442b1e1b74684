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

  /// Grants or refuses an acquisition by an owner that holds the lock, or has the acquisition wait
  /// for a proof of the session. Returns false if the owner does not hold the lock: the acquisition
  /// stays in line.
  bool serve(acquisition& c);

  /// Serves the acquisitions again that wait for a proof of the session.
  void serve_again();
  /// Requests the proof for which acquisitions wait. To be called once all acquisitions are served.
  void prove();
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
  lock_line& line_;
  line_tickets& tickets_;
  requester& requester_;
  // The newest acquisition of each owner.
  std::unordered_map<std::uint64_t, std::weak_ptr<acquisition>> newest_;
  // The acquisitions that wait for a proof of the session.
  std::vector<std::shared_ptr<acquisition>> unproven_;
};

} // namespace zklock::detail
