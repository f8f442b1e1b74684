#include "ensemble.hpp"

#include <algorithm>
#include <iterator>

namespace simulation {

ensemble::ensemble(std::size_t servers, std::size_t directories, std::size_t parents, dice& dice,
                   statistics& statistics, const trace& trace)
    : dice_(dice),
      statistics_(statistics),
      trace_(trace),
      denials_(directories),
      occupied_(directories) {
  for (std::size_t i = 0; i < servers; ++i)
    servers_.push_back({.tree = {directories, parents, nodes_}});
}

session_id ensemble::start_session() {
  live_.insert(++last_session_);
  return last_session_;
}

void ensemble::end_session(session_id session) {
  if (live_.erase(session) == 0) return;
  trace_("    session ", session, " ends");
  append({.what = change::kind::end_session, .session = session});
}

void ensemble::attach(connection& connection, session_id session, std::size_t server) {
  drop_watches(connection);
  connection = {.session = session, .server = server, .up = true};
}

void ensemble::cut(connection& connection) {
  drop_watches(connection);
  connection.up = false;
  connection.taken.clear();
  const auto arrive = dice_.below(connection.received.size() + 1);
  connection.received.resize(arrive);
}

std::size_t ensemble::append(const change& change) {
  log_.push_back(change);
  apply_next(servers_.front(), 0);
  for (std::size_t i = 0; i < occupied_.size(); ++i)
    for (const auto child : truth().at(i).children)
      if (nodes_[child].is_entry) occupied_[i] = log_.size();
  return log_.size() - 1;
}

bool ensemble::apply(std::size_t server) {
  if (servers_[server].deposed || servers_[server].applied == log_.size()) return false;
  apply_next(servers_[server], server);
  return true;
}

void ensemble::depose(std::size_t server) {
  trace_("    server ", server, " is deposed");
  servers_[server].deposed = true;
}

void ensemble::rejoin(std::size_t server) {
  trace_("    server ", server, " follows again");
  servers_[server].deposed = false;
  for (auto& connection : connections_) {
    if (connection.server != server) continue;
    // Requests that the deposed leader could not commit are lost.
    connection.sent.clear();
    if (connection.up) cut(connection);
  }
}

void ensemble::apply_next(replica& replica, std::size_t index) {
  const change& change = log_[replica.applied++];
  touched_.clear();
  replica.tree.apply(change, touched_);
  for (const auto& what : touched_)
    for (auto it = replica.watches.begin(); it != replica.watches.end();) {
      if (it->directory != what.directory || it->node != what.node) {
        ++it;
        continue;
      }
      it->by->received.emplace_back(
          event{.directory = what.directory,
                .node = what.node,
                .name = what.node >= limit_node ? std::string() : nodes_[what.node].name,
                .deleted = what.deleted});
      it = replica.watches.erase(it);
    }
  for (auto& connection : connections_) {
    if (!connection.up || connection.server != index) continue;
    if (change.what == change::kind::end_session && change.session == connection.session)
      cut(connection);
    else
      settle(connection);
  }
}

void ensemble::drop_watches(connection& connection) {
  for (auto& replica : servers_)
    std::erase_if(replica.watches, [&](const watcher& one) { return one.by == &connection; });
}

node_id ensemble::find_created(std::int64_t czxid) const noexcept {
  const auto it = std::lower_bound(nodes_.begin(), nodes_.end(), czxid,
                                   [](const node& n, std::int64_t zxid) { return n.czxid < zxid; });
  if (it == nodes_.end() || it->czxid != czxid) return no_such_node;
  return static_cast<node_id>(std::distance(nodes_.begin(), it));
}

node_id ensemble::heir_of(node_id id) const noexcept {
  const auto heir = nodes_[id].replaced_by;
  return heir != no_such_node && !truth().contains(id) ? heir : id;
}

bool ensemble::watches_directory(const connection& connection,
                                 std::size_t directory) const noexcept {
  const replica& there = servers_[connection.server];
  if (there.applied != log_.size()) return false;
  return std::any_of(there.watches.begin(), there.watches.end(), [&](const watcher& one) {
    return one.by == &connection && one.directory == directory && one.node == no_such_node;
  });
}

void ensemble::check_watches() const {
  for (const auto& replica : servers_)
    for (const auto& watcher : replica.watches)
      if (watcher.node < limit_node && !replica.tree.contains(watcher.node))
        fail("a watch is left on ", nodes_[watcher.node].name);
}

} // namespace simulation
