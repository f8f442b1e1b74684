#include "testing/memory/znode_tree.hpp"

#include "testing/memory/path_rules.hpp"
#include "testing/memory/request_check.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace zklock::testing::memory {
namespace {

part_result result_of(const multi_part& request, reply_body&& body) {
  part_result result;
  if (auto* created = std::get_if<created_reply>(&body)) {
    // The servers have a single type for all replies with a stat structure.
    result.kind = created->kind == operation::create ? operation::create : operation::create2;
    result.body = std::move(*created);
  } else if (auto* changed = std::get_if<stat_reply>(&body)) {
    result.kind = operation::set_data;
    result.body = *changed;
  } else {
    result.kind =
        std::holds_alternative<check_request>(request) ? operation::check : operation::remove;
  }
  return result;
}

/// The servers forget the types of create requests in a transaction, and take them from the flags.
/// Returns nothing for a part that they cannot decode.
std::optional<multi_part> as_servers_decode(const multi_part& part) {
  multi_part result = part;
  auto* create = std::get_if<create_request>(&result);
  if (!create) return result;
  if (has_time_to_live(create->flags)) {
    if (create->kind != operation::create_ttl) return {};
  } else {
    create->kind =
        create->flags == container_flags ? operation::create_container : operation::create;
  }
  return result;
}

} // namespace

znode_tree::znode_tree(std::int32_t first_number) : first_number_(first_number) {
  for (const char* path : {"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"}) {
    nodes_[path].data = "";
    // The servers' own nodes are not counted as creations.
    if (std::string_view(path) != "/")
      nodes_.find(parent_of(path))
          ->second.children.insert(std::string(path).substr(std::string_view(path).rfind('/') + 1));
  }
  znode_state& config = nodes_.find("/zookeeper/config")->second.state;
  config.acl = {{1, "world", "anyone"}};
  config.aversion = -1;
}

outcome znode_tree::apply(const write_request& request, const session_info& session,
                          std::int64_t zxid, std::int64_t time) {
  last_zxid_ = zxid;
  outcome result;
  const context at{zxid, time, &result.events};
  if (auto* begin = std::get_if<create_session_request>(&request)) {
    sessions_[session.id] = begin->timeout;
    return result;
  }
  if (std::holds_alternative<close_session_request>(request)) {
    close_session(session.id, at);
    return result;
  }
  if (session.id != 0 && !sessions_.contains(session.id)) {
    result.error = code::session_expired;
    return result;
  }
  if (auto* multi = std::get_if<multi_request>(&request)) {
    auto reply = apply_multi(*multi, session, at);
    if (reply)
      result.body = std::move(*reply);
    else
      result.error = code::marshalling_error;
    return result;
  }
  request_check check([this](std::string_view path) { return find(path); }, session);
  verdict found = std::visit(
      [&](const auto& single) -> verdict {
        if constexpr (std::is_invocable_v<request_check&, decltype(single)>)
          return check(single);
        else
          return code::unimplemented;
      },
      request);
  if (auto* error = std::get_if<code>(&found))
    result.error = *error;
  else
    result.body = make(std::get<change>(found), at);
  return result;
}

std::optional<multi_reply> znode_tree::apply_multi(const multi_request& request,
                                                   const session_info& session, const context& at) {
  request_check check([this](std::string_view path) { return find(path); }, session);
  std::vector<change> changes;
  code error = code::ok;
  for (const auto& part : request.parts) {
    const auto checked = as_servers_decode(part);
    if (!checked) return {};
    verdict found = std::visit(check, *checked);
    if (auto* failed = std::get_if<code>(&found)) {
      error = *failed;
      break;
    }
    changes.push_back(std::get<change>(std::move(found)));
  }
  multi_reply reply;
  for (std::size_t i = 0; i != request.parts.size(); ++i) {
    if (error == code::ok) {
      reply.parts.push_back(result_of(request.parts[i], make(changes[i], at)));
    } else {
      part_result failed;
      failed.error = i < changes.size()    ? code::ok
                     : i == changes.size() ? error
                                           : code::runtime_inconsistency;
      reply.parts.push_back(std::move(failed));
    }
  }
  return reply;
}

void znode_tree::close_session(std::int64_t session, const context& at) {
  sessions_.erase(session);
  for (const auto& path : ephemerals(session))
    make(node_deletion{path}, at);
}

reply_body znode_tree::make(const change& what, const context& at) {
  return std::visit([&](const auto& each) { return make(each, at); }, what);
}

reply_body znode_tree::make(const node_creation& what, const context& at) {
  const std::string parent_path(parent_of(what.path));
  znode& parent = nodes_.find(parent_path)->second;
  // The servers compare so: beyond the largest number, the number stays.
  if (what.parent_creations > parent.state.creations) {
    parent.state.creations = what.parent_creations;
    parent.pzxid = at.zxid;
  }
  parent.children.insert(what.path.substr(what.path.rfind('/') + 1));
  znode& node = nodes_[what.path];
  node.data = what.data;
  node.state.acl = what.acl;
  node.state.ephemeral_owner = what.ephemeral_owner;
  node.state.creations = first_number_;
  node.czxid = node.mzxid = node.pzxid = at.zxid;
  node.ctime = node.mtime = at.time;
  if (what.ephemeral_owner == container_owner)
    containers_.insert(what.path);
  else if (what.ephemeral_owner != 0)
    ephemerals_[what.ephemeral_owner].insert(what.path);
  at.events->push_back({event_type::created, what.path, what.acl});
  at.events->push_back({event_type::children, parent_path, parent.state.acl});
  return created_reply{what.kind, what.path, node.stat()};
}

reply_body znode_tree::make(const node_deletion& what, const context& at) {
  const std::string parent_path(parent_of(what.path));
  znode& parent = nodes_.find(parent_path)->second;
  parent.children.erase(what.path.substr(what.path.rfind('/') + 1));
  parent.pzxid = at.zxid;
  auto node = nodes_.find(what.path);
  containers_.erase(what.path);
  if (auto owned = ephemerals_.find(node->second.state.ephemeral_owner);
      owned != ephemerals_.end()) {
    owned->second.erase(what.path);
    if (owned->second.empty()) ephemerals_.erase(owned);
  }
  at.events->push_back({event_type::deleted, what.path, std::move(node->second.state.acl)});
  at.events->push_back({event_type::children, parent_path, parent.state.acl});
  nodes_.erase(node);
  return {};
}

reply_body znode_tree::make(const data_change& what, const context& at) {
  znode& node = nodes_.find(what.path)->second;
  node.data = what.data;
  node.state.version = what.version;
  node.mzxid = at.zxid;
  node.mtime = at.time;
  at.events->push_back({event_type::changed, what.path, node.state.acl});
  return stat_reply{node.stat()};
}

reply_body znode_tree::make(const acl_change& what, const context&) {
  znode& node = nodes_.find(what.path)->second;
  node.state.acl = what.acl;
  node.state.aversion = what.version;
  return stat_reply{node.stat()};
}

reply_body znode_tree::make(const no_change&, const context&) {
  return {};
}

const znode* znode_tree::find(std::string_view path) const {
  // The servers know the root by two paths.
  auto found = nodes_.find(path.empty() ? "/" : path);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::vector<std::string> znode_tree::paths() const {
  std::vector<std::string> result;
  for (const auto& [path, node] : nodes_)
    result.push_back(path);
  return result;
}

std::vector<std::string> znode_tree::empty_containers() const {
  std::vector<std::string> result;
  std::copy_if(containers_.begin(), containers_.end(), std::back_inserter(result),
               [&](const std::string& path) {
                 const znode& node = *find(path);
                 return node.children.empty() && node.stat().cversion > 0;
               });
  return result;
}

std::vector<std::string> znode_tree::ephemerals(std::int64_t session) const {
  auto found = ephemerals_.find(session);
  if (found == ephemerals_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

} // namespace zklock::testing::memory
