#include "tree.hpp"

#include <algorithm>
#include <string_view>

namespace simulation {

tree::tree(std::size_t directories, std::size_t parents, const std::deque<node>& nodes)
    : nodes_(nodes), parents_(parents), directories_(directories) {}

void tree::found(std::size_t directory, std::int64_t children_ever) {
  parent_of(directory) = {.exists = true, .used = true};
  directories_[directory].exists = true;
  directories_[directory].children_ever = children_ever;
}

bool tree::contains(node_id node) const noexcept {
  const auto& children = directories_[nodes_[node].directory].children;
  return std::binary_search(children.begin(), children.end(), node);
}

node_id tree::find(std::size_t directory, std::string_view name) const noexcept {
  for (const auto child : directories_[directory].children)
    if (nodes_[child].name == name) return child;
  return no_such_node;
}

void tree::make_directory(std::size_t directory) {
  lock_directory& there = directories_[directory];
  parent_of(directory).used = true;
  if (there.exists) return;
  there.exists = true;
  there.children_ever = 0;
}

void tree::apply(const change& change, std::vector<touched>& touched) {
  lock_directory& there = directories_[change.directory];
  switch (change.what) {
  case change::kind::nothing:
    return;
  case change::kind::make_parent:
    parent_of(change.directory).exists = true;
    return;
  case change::kind::make_parents:
    parent_of(change.directory).exists = true;
    return make_directory(change.directory);
  case change::kind::make_directory:
    return make_directory(change.directory);
  case change::kind::remove_parent:
    parent_of(change.directory) = {};
    return;
  case change::kind::remove_directory:
    there.exists = false;
    touched.push_back({change.directory, no_such_node, true});
    touched.push_back({change.directory, child_list, true});
    return;
  case change::kind::create:
    there.children.push_back(change.node);
    ++there.children_ever;
    touched.push_back({change.directory, child_list, false});
    return;
  case change::kind::remove:
    std::erase(there.children, change.node);
    touched.push_back({change.directory, change.node, true});
    touched.push_back({change.directory, child_list, false});
    return;
  case change::kind::set_data:
    changed_.insert(change.node);
    touched.push_back({change.directory, change.node, false});
    return;
  case change::kind::set_limit:
    there.limit = change.limit;
    touched.push_back({change.directory, limit_node, false});
    return;
  case change::kind::transaction:
    for (const auto& part : change.parts)
      apply(part, touched);
    return;
  case change::kind::end_session:
    for (std::size_t i = 0; i < directories_.size(); ++i)
      std::erase_if(directories_[i].children, [&](node_id child) {
        if (nodes_[child].owner != change.session) return false;
        touched.push_back({i, child, true});
        touched.push_back({i, child_list, false});
        return true;
      });
    return;
  }
}

} // namespace simulation
