#pragma once

#include "testing/memory/change.hpp"
#include "testing/memory/znode.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing::memory {

/// Checks the parts of a write request before any part changes the tree: each part sees the changes
/// of the parts before it. The rules and their order are as in ZooKeeper's PrepRequestProcessor.
class request_check {
 public:
  /// Returns the node of a path in the tree; null if it does not exist.
  using lookup = std::function<const znode*(std::string_view path)>;

  request_check(lookup tree, const session_info& session)
      : tree_(std::move(tree)), session_(&session) {}

  verdict operator()(const create_request& request);
  verdict operator()(const remove_request& request);
  verdict operator()(const set_data_request& request);
  verdict operator()(const set_acl_request& request);
  verdict operator()(const check_request& request);
  verdict operator()(const reap_request& request);

 private:
  /// Returns the node with the changes of earlier parts; null if it does not exist.
  znode_state* find(std::string_view path);
  bool permits(const znode_state& node, std::int32_t permission) const;
  verdict remove(const std::string& path, znode_state& parent);

  lookup tree_;
  const session_info* session_;
  /// The nodes that the parts have used; nothing for a node that does not exist.
  std::map<std::string, std::optional<znode_state>, std::less<>> used_;
};

} // namespace zklock::testing::memory
