#include "testing/memory/request_check.hpp"

#include "testing/memory/access_control.hpp"
#include "testing/memory/path_rules.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace zklock::testing::memory {
namespace {

// The flags of create requests.
constexpr std::int32_t last_flags = 6;

bool is_sequential(std::int32_t flags) {
  return flags == 2 || flags == 3 || flags == 6;
}

bool is_ephemeral(std::int32_t flags) {
  return flags == 1 || flags == 3;
}

std::string sequence_number(std::int32_t number) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%010d", static_cast<int>(number));
  return digits.data();
}

bool has_version(std::int32_t actual, std::int32_t expected) {
  return expected == -1 || expected == actual;
}

/// Java's integers wrap.
std::int32_t next(std::int32_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(number) + 1);
}

} // namespace

verdict request_check::operator()(const create_request& request) {
  if (request.flags < 0 || request.flags > last_flags) return code::bad_arguments;
  // A server has them only if it is configured so.
  if (has_time_to_live(request.flags)) return code::unimplemented;
  if (request.kind == operation::create_ttl || !has_parent(request.path))
    return code::bad_arguments;
  auto acl = stored_list(request.acl, session_->identities);
  if (!acl) return code::invalid_acl;
  znode_state* parent = find(parent_of(request.path));
  if (!parent) return code::no_node;
  if (!permits(*parent, can_create)) return code::no_auth;
  std::string path = request.path;
  if (is_sequential(request.flags)) path += sequence_number(parent->creations);
  if (!is_valid_path(path)) return code::bad_arguments;
  if (find(path)) return code::node_exists;
  if (parent->is_ephemeral()) return code::no_children_for_ephemerals;

  parent->creations = next(parent->creations);
  ++parent->child_count;
  znode_state created;
  created.acl = *acl;
  // The request's type makes a container, not its flags.
  created.ephemeral_owner = request.kind == operation::create_container ? container_owner
                            : is_ephemeral(request.flags)               ? session_->id
                                                                        : 0;
  used_[path] = created;
  return node_creation{
      request.kind,     path, request.data, std::move(*acl), created.ephemeral_owner,
      parent->creations};
}

verdict request_check::operator()(const remove_request& request) {
  if (!has_parent(request.path) || is_special_path(request.path)) return code::bad_arguments;
  znode_state* parent = find(parent_of(request.path));
  if (!parent) return code::no_node;
  if (!permits(*parent, can_delete)) return code::no_auth;
  const znode_state* node = find(request.path);
  if (!node) return code::no_node;
  if (!has_version(node->version, request.version)) return code::bad_version;
  return remove(request.path, *parent);
}

verdict request_check::operator()(const reap_request& request) {
  if (!has_parent(request.path) || is_special_path(request.path)) return code::bad_arguments;
  const znode_state* node = find(request.path);
  if (!node) return code::no_node;
  if (node->child_count == 0 && node->is_ephemeral()) return code::bad_version;
  return remove(request.path, *find(parent_of(request.path)));
}

verdict request_check::operator()(const set_data_request& request) {
  if (!is_valid_path(request.path)) return code::bad_arguments;
  znode_state* node = find(request.path);
  if (!node) return code::no_node;
  if (!permits(*node, can_write)) return code::no_auth;
  if (!has_version(node->version, request.version)) return code::bad_version;
  node->version = next(node->version);
  return data_change{request.path, request.data, node->version};
}

verdict request_check::operator()(const set_acl_request& request) {
  if (!is_valid_path(request.path)) return code::bad_arguments;
  auto acl = stored_list(request.acl, session_->identities);
  if (!acl) return code::invalid_acl;
  znode_state* node = find(request.path);
  if (!node) return code::no_node;
  if (!permits(*node, can_administer)) return code::no_auth;
  if (!has_version(node->aversion, request.version)) return code::bad_version;
  node->aversion = next(node->aversion);
  return acl_change{request.path, std::move(*acl), node->aversion};
}

verdict request_check::operator()(const check_request& request) {
  if (!is_valid_path(request.path)) return code::bad_arguments;
  const znode_state* node = find(request.path);
  if (!node) return code::no_node;
  if (!permits(*node, can_read)) return code::no_auth;
  if (!has_version(node->version, request.version)) return code::bad_version;
  return no_change{};
}

verdict request_check::remove(const std::string& path, znode_state& parent) {
  if (find(path)->child_count > 0) return code::not_empty;
  --parent.child_count;
  used_[path].reset();
  return node_deletion{path};
}

znode_state* request_check::find(std::string_view path) {
  auto found = used_.find(path);
  if (found == used_.end()) {
    const znode* node = tree_(path);
    std::optional<znode_state> state;
    if (node) {
      state = node->state;
      state->child_count = static_cast<std::int32_t>(node->children.size());
    }
    found = used_.emplace(path, std::move(state)).first;
  }
  return found->second ? &*found->second : nullptr;
}

bool request_check::permits(const znode_state& node, std::int32_t permission) const {
  return is_permitted(node.acl, permission, session_->identities);
}

} // namespace zklock::testing::memory
