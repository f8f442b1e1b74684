#include "phantoms.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace deterministic::servers {

bool phantoms::clear() noexcept {
  keeps_ = false;
  misses_ = false;
  nodes_.clear();
  return !std::exchange(untold_, {}).empty();
}

std::vector<std::string> phantoms::missed(const memory::write_request& request, session_id session,
                                          const memory::znode_tree& tree) const {
  if (std::holds_alternative<memory::close_session_request>(request))
    return keeps_ ? tree.ephemerals(session) : std::vector<std::string>();
  if (!misses_) return {};
  if (const auto* reaped = std::get_if<memory::reap_request>(&request))
    return misses_only_events_ ? std::vector<std::string>() : std::vector{reaped->path};
  std::vector<std::string> paths;
  if (const auto* single = std::get_if<memory::remove_request>(&request))
    paths.push_back(single->path);
  else if (const auto* several = std::get_if<memory::multi_request>(&request))
    for (const auto& part : several->parts)
      if (const auto* removed = std::get_if<memory::remove_request>(&part))
        paths.push_back(removed->path);
  std::erase_if(paths, [&](const std::string& path) {
    const auto* const node = tree.find(path);
    return !node || node->state.ephemeral_owner == 0;
  });
  return paths;
}

// No event tells of the nodes. A transaction that fails deletes none.
memory::outcome phantoms::apply(const transaction& what, const memory::znode_tree& tree,
                                const std::function<memory::outcome()>& apply) {
  std::map<std::string, memory::znode, std::less<>> before;
  for (const auto& path : missed(what.what.request, what.what.session.id, tree))
    if (const auto* const node = tree.find(path)) before.emplace(path, *node);
  auto result = apply();
  std::erase_if(nodes_, [&](const auto& each) { return tree.find(each.first) != nullptr; });
  std::erase_if(before, [&](const auto& each) { return tree.find(each.first) != nullptr; });
  if (before.empty()) return result;
  for (const auto& [path, node] : before) {
    untold_.insert(path);
    const auto parent = std::string_view(path).substr(0, path.rfind('/'));
    for (const auto& [type, of] : {std::pair(memory::event_type::deleted, std::string_view(path)),
                                   std::pair(memory::event_type::children, parent)}) {
      const auto told = std::ranges::find_if(result.events, [&](const memory::tree_event& each) {
        return each.type == type && each.path == of;
      });
      if (told != result.events.end()) result.events.erase(told);
    }
  }
  const bool ends = std::holds_alternative<memory::close_session_request>(what.what.request);
  (ends ? keeps_ : misses_) = false;
  if (ends || !misses_only_events_) nodes_.merge(before);
  return result;
}

void phantoms::show(const memory::read_request& request, session_id session,
                    memory::outcome& result) const {
  if (nodes_.empty()) return;
  if (const auto* own = std::get_if<memory::get_ephemerals_request>(&request)) {
    auto* const shown = std::get_if<memory::children_reply>(&result.body);
    for (const auto& [path, node] : nodes_)
      if (shown && node.state.ephemeral_owner == session && path.starts_with(own->prefix))
        shown->names.push_back(path);
    return;
  }
  if (const auto* list = std::get_if<memory::get_children_request>(&request)) {
    if (const auto found = nodes_.find(list->path);
        result.error == memory::code::no_node && found != nodes_.end())
      result = {.body = memory::children_reply{{}, found->second.stat()}};
    auto* const shown = std::get_if<memory::children_reply>(&result.body);
    for (const auto& [path, node] : nodes_)
      if (shown && path.starts_with(list->path + '/') &&
          path.find('/', list->path.size() + 1) == path.npos)
        shown->names.push_back(path.substr(list->path.size() + 1));
    return;
  }
  if (result.error != memory::code::no_node) return;
  const auto find = [&](const std::string& path) {
    const auto found = nodes_.find(path);
    if (found == nodes_.end()) return static_cast<const memory::znode*>(nullptr);
    result.error = memory::code::ok;
    return &found->second;
  };
  if (const auto* exists = std::get_if<memory::exists_request>(&request)) {
    if (const auto* node = find(exists->path)) result.body = memory::stat_reply{node->stat()};
  } else if (const auto* get = std::get_if<memory::get_data_request>(&request)) {
    if (const auto* node = find(get->path))
      result.body = memory::data_reply{node->data, node->stat()};
  }
}

} // namespace deterministic::servers
