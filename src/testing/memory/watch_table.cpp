#include "testing/memory/watch_table.hpp"

#include <type_traits>

namespace zklock::testing::memory {

void watch_table::add(connection_id connection, const read_request& request,
                      const outcome& result) {
  std::visit(
      [&](const auto& single) {
        using type = std::decay_t<decltype(single)>;
        if constexpr (std::is_same_v<type, multi_read_request>) {
          const auto& parts = std::get<multi_reply>(result.body).parts;
          for (std::size_t i = 0; i != single.parts.size(); ++i)
            std::visit([&](const auto& part) { add_part(connection, part, parts[i].error); },
                       single.parts[i]);
        } else if constexpr (!std::is_same_v<type, get_acl_request> &&
                             !std::is_same_v<type, get_ephemerals_request>) {
          add_part(connection, single, result.error);
        }
      },
      request);
}

void watch_table::add_part(connection_id connection, const exists_request& request, code) {
  if (request.watch) data_.add(connection, request.path);
}

void watch_table::add_part(connection_id connection, const get_data_request& request, code error) {
  if (request.watch && error == code::ok) data_.add(connection, request.path);
}

void watch_table::add_part(connection_id connection, const get_children_request& request,
                           code error) {
  if (request.watch && error == code::ok) children_.add(connection, request.path);
}

std::vector<addressed_event> watch_table::trigger(const std::vector<tree_event>& changes) {
  std::vector<addressed_event> events;
  for (const auto& made : changes) {
    std::set<connection_id> connections;
    if (made.type != event_type::children) connections = data_.take(made.path);
    // A deletion is sent once to a connection that has watches of both kinds.
    if (made.type == event_type::children || made.type == event_type::deleted)
      connections.merge(children_.take(made.path));
    for (connection_id connection : connections)
      events.push_back({connection, made});
  }
  return events;
}

std::vector<tree_event> watch_table::set_again(connection_id connection,
                                               const set_watches_request& request,
                                               const znode_tree& tree) {
  std::vector<tree_event> missed;
  const auto set = [&](const auto& paths, watches& table, auto last_change, event_type event) {
    for (const auto& path : paths) {
      const znode* node = tree.find(path);
      if (!node)
        missed.push_back({event_type::deleted, path, {}});
      else if (node->*last_change > request.relative_zxid)
        missed.push_back({event, path, {}});
      else
        table.add(connection, path);
    }
  };
  set(request.data, data_, &znode::mzxid, event_type::changed);
  for (const auto& path : request.exist) {
    if (tree.find(path))
      missed.push_back({event_type::created, path, {}});
    else
      data_.add(connection, path);
  }
  set(request.children, children_, &znode::pzxid, event_type::children);
  return missed;
}

code watch_table::find(connection_id connection, const find_watch_request& request) {
  const bool of_data = request.type != watcher_type::children;
  const bool of_children = request.type != watcher_type::data;
  bool found = false;
  if (request.remove) {
    found = of_data && data_.remove(connection, request.path);
    found = (of_children && children_.remove(connection, request.path)) || found;
  } else {
    // ZooKeeper 3.8.0 does not ask whose watch it is.
    found = (of_data && data_.contains(request.path)) ||
            (of_children && children_.contains(request.path));
  }
  return found ? code::ok : code::no_watcher;
}

void watch_table::remove(connection_id connection) {
  data_.remove(connection);
  children_.remove(connection);
}

std::map<std::string, std::set<connection_id>> watch_table::by_path() const {
  auto result = data_.by_path();
  for (const auto& [path, connections] : children_.by_path())
    result[path].insert(connections.begin(), connections.end());
  return result;
}

std::size_t watch_table::size() const {
  return data_.size() + children_.size();
}

void watch_table::watches::add(connection_id connection, const std::string& path) {
  by_path_[path].insert(connection);
  by_connection_[connection].insert(path);
}

bool watch_table::watches::remove(connection_id connection, const std::string& path) {
  auto watchers = by_path_.find(path);
  if (watchers == by_path_.end() || watchers->second.erase(connection) == 0) return false;
  if (watchers->second.empty()) by_path_.erase(watchers);
  auto paths = by_connection_.find(connection);
  paths->second.erase(path);
  if (paths->second.empty()) by_connection_.erase(paths);
  return true;
}

void watch_table::watches::remove(connection_id connection) {
  auto paths = by_connection_.find(connection);
  if (paths == by_connection_.end()) return;
  for (const auto& path : paths->second) {
    auto watchers = by_path_.find(path);
    watchers->second.erase(connection);
    if (watchers->second.empty()) by_path_.erase(watchers);
  }
  by_connection_.erase(paths);
}

std::set<connection_id> watch_table::watches::take(const std::string& path) {
  auto watchers = by_path_.find(path);
  if (watchers == by_path_.end()) return {};
  const std::set<connection_id> connections = watchers->second;
  for (connection_id connection : connections)
    remove(connection, path);
  return connections;
}

std::size_t watch_table::watches::size() const {
  std::size_t sum = 0;
  for (const auto& [path, connections] : by_path_)
    sum += connections.size();
  return sum;
}

} // namespace zklock::testing::memory
