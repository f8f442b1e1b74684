#pragma once

#include "support/description.hpp"

#include <utility>

namespace zklock::queue {

/// Requests that the servers have refused for a transient reason, and writes of lost connections
/// that may be carried out late.
class unfinished {
 public:
  /// A delete was refused, or an inspection of a replaced node.
  void refused() noexcept { is_refused_ = true; }
  /// The list of a recovery was refused.
  void list_refused() noexcept { is_refused_ = is_list_refused_ = true; }
  bool is_any_refused() const noexcept { return is_refused_; }

  /// Takes the refused requests for a retry. Returns whether there were any.
  bool take_refused() noexcept { return std::exchange(is_refused_, false); }
  /// Returns whether the list of a recovery was among them.
  bool take_list_refused() noexcept { return std::exchange(is_list_refused_, false); }
  /// A new connection retries all requests.
  void disconnected() noexcept { is_refused_ = is_list_refused_ = false; }

  // Nodes of ours that belong to no known entry may exist, or appear: a write of a lost connection
  // may be carried out late, or the servers may not permit a delete.

  void expect_late_writes() noexcept { has_late_writes_ = true; }
  bool has_late_writes() const noexcept { return has_late_writes_; }
  /// The session has ended, and its nodes with it.
  void expired() noexcept { has_late_writes_ = false; }

 private:
  template <class Writer>
  friend class zklock::description;

  bool is_refused_ = false;
  bool is_list_refused_ = false;
  bool has_late_writes_ = false;
};

} // namespace zklock::queue
