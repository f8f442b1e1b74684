#pragma once

#include "options.hpp"
#include "testing/memory/znode_tree.hpp"
#include "transaction.hpp"

namespace deterministic::servers {

/// The data that all replicas agree on: the tree and the sessions after a transaction.
struct database {
  explicit database(const ensemble_options& options) : tree(options.first_number) {}

  memory::znode_tree tree;
  zxid last = 0;

  bool has_session(session_id session) const { return tree.sessions().contains(session); }

  /// Applies the next transaction.
  memory::outcome apply(const transaction& next);
};

} // namespace deterministic::servers
