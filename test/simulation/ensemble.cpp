#include "ensemble.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace simulation {

namespace {

// As the servers write it.
std::string with_number(const std::string& prefix, sequence number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%010lld", static_cast<long long>(number));
  return prefix + digits;
}

} // namespace

ensemble::ensemble(std::size_t servers, std::size_t directories, dice& dice,
                   statistics& statistics, const trace& trace)
    : dice_(dice), statistics_(statistics), trace_(trace), denials_(directories) {
  for (std::size_t i = 0; i < servers; ++i)
    servers_.push_back({.tree = {directories, nodes_}});
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

bool ensemble::take(connection& connection) {
  if (connection.sent.empty()) return false;
  request request = std::move(connection.sent.front());
  connection.sent.pop_front();
  if (!request.is_write()) {
    if (!connection.up) return true;
    connection.taken.push_back({.outcome = {.to = std::move(request)}});
    settle(connection);
    return true;
  }
  if (!lives(connection.session)) {
    if (connection.up) cut(connection);
    return true;
  }
  std::size_t transaction = 0;
  reply outcome = execute(request, connection.session, transaction);
  if (!connection.up) {
    trace_("    (its answer is lost)");
    return true;
  }
  connection.taken.push_back({.outcome = std::move(outcome), .transaction = transaction});
  settle(connection);
  return true;
}

// Carries a write out on the leader.
reply ensemble::execute(const request& request, session_id session, std::size_t& transaction) {
  reply outcome{.to = request};
  change change{.directory = request.directory, .session = session};
  const auto& there = truth().at(request.directory);
  const auto found =
      request.name.empty() ? no_such_node : truth().find(request.directory, request.name);
  outcome.result = permits(request);
  if (outcome.result != answer::ok) {
    trace_("    session ", session, ": ", to_string(request.what), " is refused");
    transaction = append(change);
    return outcome;
  }
  switch (request.what) {
  case request::kind::make_directory:
    if (!truth().parent_exists())
      outcome.result = answer::no_node;
    else if (!there.exists)
      change.what = change::kind::make_directory;
    break;
  case request::kind::make_parents:
    change.what = change::kind::make_parents;
    break;
  case request::kind::create:
    if (!there.exists) {
      outcome.result = answer::no_node;
      break;
    }
    change.what = change::kind::create;
    change.node = nodes_.size();
    outcome.number = there.children_ever;
    outcome.czxid = static_cast<std::int64_t>(log_.size()) + 1;
    nodes_.push_back({.name = with_number(request.name, outcome.number),
                      .directory = request.directory,
                      .czxid = outcome.czxid,
                      .number = outcome.number,
                      .wants = request.wants,
                      .owner = session,
                      .entry = request.entry});
    break;
  case request::kind::remove:
    if (found == no_such_node)
      outcome.result = answer::no_node;
    else
      change = {.what = change::kind::remove, .directory = request.directory, .node = found};
    break;
  case request::kind::check:
    if (found == no_such_node) outcome.result = answer::no_node;
    break;
  default:
    break;
  }
  trace_("    session ", session, ": ", to_string(request.what), ' ', request.directory, ' ',
         change.what == change::kind::create ? nodes_.back().name : request.name, ": ",
         to_string(outcome.result));
  if (change.what == change::kind::make_directory || change.what == change::kind::make_parents) {
    if (!there.exists && there.children_ever != 0) statistics_.count(seen::directory_made_again);
  }
  transaction = append(change);
  return outcome;
}

reply ensemble::read(connection& connection, request request) {
  replica& replica = servers_[connection.server];
  if (replica.applied != log_.size()) statistics_.count(seen::stale_read);
  const auto& there = replica.tree.at(request.directory);
  const auto found =
      request.name.empty() ? no_such_node : replica.tree.find(request.directory, request.name);
  reply outcome{.result = permits(request)};
  switch (outcome.result == answer::ok ? request.what : request::kind::sync) {
  case request::kind::list:
    if (!there.exists) {
      outcome.result = answer::no_node;
    } else {
      outcome.children = there.children;
      outcome.children_ever = there.children_ever;
      // Servers list in no order.
      for (std::size_t i = outcome.children.size(); i > 1; --i)
        std::swap(outcome.children[i - 1], outcome.children[dice_.below(i)]);
    }
    break;
  case request::kind::get:
  case request::kind::watch:
    if (found == no_such_node) {
      outcome.result = answer::no_node;
      break;
    }
    outcome.czxid = nodes_[found].czxid;
    if (request.what == request::kind::watch)
      set(replica, {&connection, request.directory, found});
    break;
  case request::kind::watch_directory:
    if (there.exists)
      set(replica, {&connection, request.directory, no_such_node});
    else
      outcome.result = answer::no_node;
    break;
  default:
    break;
  }
  outcome.to = std::move(request);
  return outcome;
}

void ensemble::set(replica& replica, const watcher& watcher) {
  auto& watches = replica.watches;
  if (std::find(watches.begin(), watches.end(), watcher) == watches.end())
    watches.push_back(watcher);
}

// Answers what can be answered: everything before the first write that this server has not applied.
void ensemble::settle(connection& connection) {
  while (!connection.taken.empty() && connection.up) {
    pending& next = connection.taken.front();
    if (next.outcome.to.is_write()) {
      if (next.transaction >= servers_[connection.server].applied) return;
      connection.received.emplace_back(std::move(next.outcome));
    } else {
      connection.received.emplace_back(read(connection, std::move(next.outcome.to)));
    }
    connection.taken.pop_front();
  }
}

std::size_t ensemble::append(const change& change) {
  log_.push_back(change);
  apply_next(servers_.front(), 0);
  return log_.size() - 1;
}

bool ensemble::apply(std::size_t server) {
  if (servers_[server].applied == log_.size()) return false;
  apply_next(servers_[server], server);
  return true;
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
                .name = what.node == no_such_node ? std::string() : nodes_[what.node].name,
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

bool ensemble::reap(std::size_t directory) {
  const auto& there = truth().at(directory);
  if (!there.exists || there.children_ever == 0 || !there.children.empty()) return false;
  trace_("    directory ", directory, " is reaped");
  statistics_.count(seen::directory_gone);
  append({.what = change::kind::remove_directory, .directory = directory});
  return true;
}

bool ensemble::reap_parent() {
  for (std::size_t i = 0; i < truth().directories(); ++i)
    if (truth().at(i).exists) return false;
  if (!truth().parent_exists()) return false;
  trace_("    the parent is reaped");
  append({.what = change::kind::remove_parent});
  return true;
}

void ensemble::delete_by_hand(node_id node) {
  trace_("    ", nodes_[node].name, " is deleted by hand");
  nodes_[node].deleted_by_hand = true;
  deleted_by_hand_.push_back(node);
  append({.what = change::kind::remove, .directory = nodes_[node].directory, .node = node});
}

void ensemble::set_data(std::size_t directory, node_id node) {
  trace_("    new data in directory ", directory, ": ",
         node == no_such_node ? std::string("itself") : nodes_[node].name);
  append({.what = change::kind::set_data, .directory = directory, .node = node});
}

void ensemble::litter(std::size_t directory) {
  static constexpr const char* names[] = {"config", "_c_lock-", "lease-0000000001", "0000000003",
                                          "-lock-12"};
  const auto name = names[dice_.below(std::size(names))];
  if (!truth().at(directory).exists || truth().find(directory, name) != no_such_node) return;
  trace_("    somebody makes ", name, " in directory ", directory);
  nodes_.push_back({.name = name,
                    .directory = directory,
                    .czxid = static_cast<std::int64_t>(log_.size()) + 1,
                    .is_entry = false});
  append({.what = change::kind::create, .directory = directory, .node = nodes_.size() - 1});
}

void ensemble::clean_up(std::size_t directory) {
  for (const auto child : truth().at(directory).children) {
    if (nodes_[child].is_entry) continue;
    append({.what = change::kind::remove, .directory = directory, .node = child});
    return;
  }
}

void ensemble::deny(std::size_t directory, permission what, answer result) {
  trace_("    directory ", directory, ": permission ", static_cast<int>(what), " is now ",
         to_string(result));
  denials_[directory][static_cast<std::size_t>(what)] = result;
}

answer ensemble::permits(const request& request) const noexcept {
  const auto& denials = denials_[request.directory];
  switch (request.what) {
  case request::kind::make_directory:
  case request::kind::make_parents:
  case request::kind::create:
    return denials[static_cast<std::size_t>(permission::create)];
  case request::kind::remove:
    return denials[static_cast<std::size_t>(permission::remove)];
  case request::kind::check:
  case request::kind::sync:
    return answer::ok;
  default:
    return denials[static_cast<std::size_t>(permission::read)];
  }
}

void ensemble::found(std::size_t directory, std::int64_t children_ever) {
  for (auto& replica : servers_)
    replica.tree.found(directory, children_ever);
}

bool ensemble::watches_directory(const connection& connection,
                                 std::size_t directory) const noexcept {
  const auto& watches = servers_[connection.server].watches;
  return std::any_of(watches.begin(), watches.end(), [&](const watcher& one) {
    return one.by == &connection && one.directory == directory && one.node == no_such_node;
  });
}

void ensemble::check_watches() const {
  for (const auto& replica : servers_)
    for (const auto& watcher : replica.watches)
      if (watcher.node != no_such_node && !replica.tree.contains(watcher.node))
        fail("a watch is left on ", nodes_[watcher.node].name);
}

} // namespace simulation
