#include "phantoms.hpp"

#include <utility>
#include <variant>

namespace deterministic::servers {

bool phantoms::clear() noexcept {
  keeps_ = false;
  return !std::exchange(nodes_, {}).empty();
}

bool phantoms::keep(const transaction& what, const memory::znode_tree& tree) {
  if (!keeps_ || what.refused != memory::code::ok ||
      !std::holds_alternative<memory::close_session_request>(what.what.request))
    return false;
  const auto paths = tree.ephemerals(what.what.session.id);
  for (const auto& path : paths)
    nodes_.emplace(path, *tree.find(path));
  if (!paths.empty()) keeps_ = false;
  return !paths.empty();
}

// The end of a session changes nothing else: none of its events is sent.
memory::outcome phantoms::apply(const transaction& what, const memory::znode_tree& tree,
                                const std::function<memory::outcome()>& apply) {
  const bool kept = keep(what, tree);
  auto result = apply();
  if (kept) result.events.clear();
  return result;
}

void phantoms::show(const memory::read_request& request, memory::outcome& result) const {
  if (nodes_.empty()) return;
  if (const auto* list = std::get_if<memory::get_children_request>(&request)) {
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
