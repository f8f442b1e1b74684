#include "testing/memory/znode.hpp"

namespace zklock::testing::memory {

node_stat znode::stat() const {
  node_stat result;
  result.czxid = czxid;
  result.mzxid = mzxid;
  result.pzxid = pzxid;
  result.ctime = ctime;
  result.mtime = mtime;
  result.version = state.version;
  // Each child was created, and each former child also deleted. The version wraps like Java's
  // integers.
  result.cversion = static_cast<std::int32_t>(static_cast<std::uint32_t>(state.creations) * 2 -
                                              static_cast<std::uint32_t>(children.size()));
  result.aversion = state.aversion;
  // The servers do not show which nodes are containers.
  result.ephemeral_owner = state.is_ephemeral() ? state.ephemeral_owner : 0;
  result.data_length = data ? static_cast<std::int32_t>(data->size()) : 0;
  result.num_children = static_cast<std::int32_t>(children.size());
  return result;
}

} // namespace zklock::testing::memory
