#pragma once

#include "testing/memory/change.hpp"
#include "testing/memory/replies.hpp"
#include "testing/memory/znode.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::testing::memory {

/// The nodes and the sessions of a server. The tree depends only on the writes that were applied:
/// servers that apply equal writes in equal order have equal trees and return equal outcomes.
class znode_tree {
 public:
  /// Makes the tree of a new server. `first_number`: the first sequence number in each directory,
  /// as if it had been used so often.
  explicit znode_tree(std::int32_t first_number = 0);

  /// Applies a write. `zxid` must be greater than that of each earlier write; `time` is in
  /// milliseconds since 1970. The session must exist, except for a session that the request
  /// creates and for the id 0, by which servers themselves write.
  outcome apply(const write_request& request, const session_info& session, std::int64_t zxid,
                std::int64_t time);

  /// Carries out a read.
  outcome read(const read_request& request, const session_info& session) const;

  /// Returns the zxid of the last write, including failed writes.
  std::int64_t last_zxid() const { return last_zxid_; }

  /// Returns a node; null if it does not exist.
  const znode* find(std::string_view path) const;

  /// Returns the paths of all nodes.
  std::vector<std::string> paths() const;

  /// Returns the containers that a server deletes with `reap_request`: empty containers that have
  /// had a child.
  std::vector<std::string> empty_containers() const;

  /// Returns the session timeouts, in milliseconds, by session.
  const std::map<std::int64_t, std::int32_t>& sessions() const { return sessions_; }

  /// Returns the ephemeral nodes of a session.
  std::vector<std::string> ephemerals(std::int64_t session) const;

 private:
  /// Where and when changes take place.
  struct context {
    std::int64_t zxid;
    std::int64_t time;
    std::vector<tree_event>* events;
  };

  std::optional<multi_reply> apply_multi(const multi_request& request, const session_info& session,
                                         const context& at);
  void close_session(std::int64_t session, const context& at);
  reply_body make(const change& what, const context& at);
  reply_body make(const node_creation& what, const context& at);
  reply_body make(const node_deletion& what, const context& at);
  reply_body make(const data_change& what, const context& at);
  reply_body make(const acl_change& what, const context& at);
  reply_body make(const no_change& what, const context& at);

  std::map<std::string, znode, std::less<>> nodes_;
  std::map<std::int64_t, std::int32_t> sessions_;
  /// The paths of ephemeral nodes, by session.
  std::map<std::int64_t, std::set<std::string>> ephemerals_;
  std::set<std::string> containers_;
  std::int64_t last_zxid_ = 0;
  std::int32_t first_number_;
};

} // namespace zklock::testing::memory
