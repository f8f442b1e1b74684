#pragma once

#include "testing/memory/znode_tree.hpp"
#include "transaction.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace deterministic::servers {

/// The nodes that a replica shows to its clients although the quorum has deleted them, as servers
/// that crashed while they caught up with the leader have done. Writes are not affected: the leader
/// checks them.
class phantoms {
 public:
  /// Keeps the nodes of the next session that ends.
  void keep_nodes() noexcept { keeps_ = true; }

  /// Keeps the ephemeral nodes that the next delete, or transaction with deletes, removes; or the
  /// next container that is reaped. Or only sends no event of the delete of such ephemeral nodes.
  void miss_delete(bool only_events) noexcept {
    misses_ = true;
    misses_only_events_ = only_events;
  }

  /// Returns whether any event of a delete was not sent.
  bool clear() noexcept;

  /// Whether no event has told of the delete of a node.
  bool hides_delete(std::string_view path) const { return untold_.contains(path); }

  /// Applies a transaction: `apply` changes the tree.
  memory::outcome apply(const transaction& what, const memory::znode_tree& tree,
                        const std::function<memory::outcome()>& apply);

  /// Adds the kept nodes to the result of a read of a session.
  void show(const memory::read_request& request, session_id session, memory::outcome& result) const;

 private:
  std::vector<std::string> missed(const memory::write_request& request, session_id session,
                                  const memory::znode_tree& tree) const;

  bool keeps_ = false;
  bool misses_ = false;
  bool misses_only_events_ = false;
  std::map<std::string, memory::znode, std::less<>> nodes_;
  std::set<std::string, std::less<>> untold_;
};

} // namespace deterministic::servers
