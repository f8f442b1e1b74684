#pragma once

#include "ensemble.hpp"
#include "plan.hpp"
#include "queue/action.hpp"

#include <cstddef>
#include <map>

namespace simulation {

using zklock::queue::action;
using zklock::queue::reason;

/// One call of acquire, as its caller sees it.
struct attempt {
  entry_id id = 0;
  role wants = role::exclusive;
  bool tries = false;
  /// Whether others in this process wanted the lock at the same time.
  bool has_company = false;
  /// How many transactions there were when it began.
  std::size_t since = 0;
  bool held = false;
  /// Given back or given up.
  bool released = false;
  bool refused = false;
  /// Whether its create may be sent: it is not known to have a node, nor may it have one.
  bool may_create = true;
  bool was_created = false;
  /// Whether its node was found although the create was never answered.
  bool was_found = false;
  std::size_t deletes = 0;
  sequence number = -1;
  /// The node by which it holds.
  node_id node = no_such_node;

  bool wants_something() const noexcept { return !released && !refused; }
  bool waits() const noexcept { return wants_something() && !held; }
};

/// Watches one queue: whether what it asks for makes sense, and whether what it tells its callers
/// is true.
class conduct {
 public:
  conduct(const ensemble& truth, std::size_t directory, const plan& plan);

  std::map<entry_id, attempt>& attempts() noexcept { return attempts_; }
  const std::map<entry_id, attempt>& attempts() const noexcept { return attempts_; }
  attempt* find(entry_id id) noexcept;

  void acquired(entry_id id, role wants, bool tries);
  void connected(session_id session) noexcept;
  void disconnected() noexcept;
  void listed() noexcept { listing_ = false; }
  void parents_made() noexcept { making_parents_ = false; }

  /// The node of an entry, in truth.
  node_id node_of(entry_id id) const;

  /// An action of the queue, which was told that the session is `proven` or not.
  void check(const action& action, bool proven);

 private:
  void check_request(const action& action);
  void check_create(attempt& attempt);
  void check_refuse(const attempt& attempt, reason why) const;
  void check_grant(attempt& attempt, const action& action, bool proven);
  void check_forget(const attempt& attempt, const action& action) const;
  std::size_t unheld_nodes();

  const ensemble& ensemble_;
  const std::size_t directory_;
  const plan& plan_;
  std::map<entry_id, attempt> attempts_;
  session_id session_ = 0;
  std::size_t uses_ = 0;
  bool connected_ = false;
  bool listing_ = false;
  bool making_parents_ = false;
};

bool is_request(action::kind what) noexcept;
const char* to_string(action::kind what) noexcept;
const char* to_string(reason why) noexcept;

} // namespace simulation
