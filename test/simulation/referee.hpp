#pragma once

#include "ensemble.hpp"
#include "queue/lock_policy.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace simulation {

using zklock::queue::lock_policy;

/// Sees all holders, ours and foreign, and the servers' state, and decides which may hold.
class referee {
 public:
  /// Whether an entry of the session that is being granted is in line, or holds, for an
  /// acquisition.
  using still_stands = std::function<bool(entry_id)>;

  referee(lock_policy policy, const ensemble& truth);

  /// A hold begins. Fails if that breaks a rule.
  void begin(node_id holder, std::uint32_t turn, const still_stands& stands);

  /// A hold counts again that did not count since it began. A node that was created by hand does
  /// not end the hold.
  void resume(node_id holder, const still_stands& stands);

  /// A hold by `permits` begins, under `limit`.
  void begin_permits(const std::vector<node_id>& permits, std::uint32_t limit);

  /// Whether the entry that takes permits now is the first in line.
  bool is_first(node_id in_line, const still_stands& stands) const {
    const node& taking = ensemble_.at(in_line);
    return policy_.may_hold(before(taking, stands), taking.wants);
  }

  /// The number of holders, as far as is known.
  std::size_t holders(std::size_t directory) const noexcept {
    return locks_[directory].holders.size();
  }

  /// A hold ends. A hold whose node is gone, by an expiry or by hand, need not be ended.
  void end(node_id holder);

  /// Gives to `to` the state that decides which entries may hold from now on.
  template <class Writer>
  void describe(Writer& to) const {
    for (const auto& lock : locks_) {
      // The order in which they began does not matter.
      std::set<node_id> holders;
      for (const auto id : lock.holders)
        if (ensemble_.truth().contains(ensemble_.heir_of(id)))
          holders.insert(ensemble_.heir_of(id));
      to.value(holders.size());
      for (const auto holder : holders)
        to.node(holder);
      for (const auto& [zxid, turn] : lock.tokens) {
        to.zxid(zxid);
        to.value(turn);
      }
    }
  }

  /// As above, for a single session.
  template <class Writer>
  void describe(Writer& to, session_id session) const {
    for (const auto& lock : locks_) {
      const auto done = lock.done.find(session);
      to.zxid(done == lock.done.end() ? 0 : done->second);
    }
  }

 private:
  using token = std::pair<std::int64_t, std::uint32_t>;

  struct record {
    std::vector<node_id> holders;
    /// The newest token of each role.
    std::array<token, 2> tokens{};
    /// Of each session, the newest token of a reader that has released.
    std::map<session_id, std::int64_t> done;
  };

  zklock::queue::predecessors before(const node& holder, const still_stands& stands,
                                     bool with_litter = true) const;
  void check_before(const node& holder, const zklock::queue::predecessors& others) const;
  void check_holders(record& lock, const node& holder, node_id id) const;
  void check_token(const record& lock, const node& holder, std::uint32_t turn) const;

  const lock_policy policy_;
  const ensemble& ensemble_;
  std::vector<record> locks_;
};

} // namespace simulation
