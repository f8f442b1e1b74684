#pragma once

#include "testing/memory/znode_tree.hpp"
#include "transaction.hpp"

#include <functional>
#include <map>
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
  /// next container that is reaped.
  void miss_delete() noexcept { misses_ = true; }

  /// Returns whether any node was kept.
  bool clear() noexcept;

  bool contains(std::string_view path) const { return nodes_.contains(path); }

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
  std::map<std::string, memory::znode, std::less<>> nodes_;
};

} // namespace deterministic::servers
