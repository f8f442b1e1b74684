#pragma once

#include "ensemble.hpp"
#include "queue/lock_policy.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace simulation {

using zklock::queue::lock_policy;

/// Sees all holders, ours and foreign, and the truth, and knows who may hold.
class referee {
 public:
  /// Whether an entry of the session that begins to hold is in line, or holds, for somebody.
  using still_stands = std::function<bool(entry_id)>;

  referee(lock_policy policy, const ensemble& truth);

  /// Somebody begins to hold. Fails where that breaks a rule.
  void begin(node_id holder, std::uint32_t turn, const still_stands& stands);

  /// Somebody begins to hold these permits, of which there are so many at most.
  void begin_permits(const std::vector<node_id>& permits, std::uint32_t limit);

  /// Fails where somebody who takes permits now is not first in line.
  void check_first(node_id in_line, const still_stands& stands) const {
    check_before(ensemble_.at(in_line), stands);
  }

  /// How many hold, as far as is known.
  std::size_t holders(std::size_t directory) const noexcept {
    return locks_[directory].holders.size();
  }

  /// He holds no more. Whose node is gone, by an expiry or by hand, need not be named.
  void end(node_id holder);

 private:
  using token = std::pair<std::int64_t, std::uint32_t>;

  struct record {
    std::vector<node_id> holders;
    /// The newest token of each role.
    std::array<token, 2> tokens{};
    /// Of each session, the newest of a reader that is done.
    std::map<session_id, std::int64_t> done;
  };

  void check_before(const node& holder, const still_stands& stands) const;
  void check_holders(record& lock, const node& holder, node_id id) const;
  void check_token(const record& lock, const node& holder, std::uint32_t turn) const;

  const lock_policy policy_;
  const ensemble& ensemble_;
  std::vector<record> locks_;
};

} // namespace simulation
