// How the servers process requests.

#include "ensemble.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

namespace {

constexpr auto never = static_cast<std::size_t>(-1);

// Whether it only deletes.
bool deletes(const request& request) {
  using kind = zklock::zookeeper::write::kind;
  const auto has = [&](kind what) {
    return std::any_of(request.parts.begin(), request.parts.end(),
                       [=](const part& each) { return each.what == what; });
  };
  return request.what == request::kind::remove || (has(kind::remove) && !has(kind::create));
}

} // namespace

bool ensemble::take(connection& connection) {
  if (late_.contains(connection.session) && dice_.chance(20))
    return carry_out_late(connection.session);
  if (connection.sent.empty()) return false;
  request request = std::move(connection.sent.front());
  connection.sent.pop_front();
  if (servers_[connection.server].deposed && request.is_write()) {
    const bool by_itself = request.what == request::kind::sync;
    if (!connection.up) return true;
    connection.taken.push_back(
        {.outcome = {.to = std::move(request)}, .needs = by_itself ? 0 : never});
    settle(connection);
    return true;
  }
  if (!request.is_write()) {
    if (!connection.up) return true;
    connection.taken.push_back({.outcome = {.to = std::move(request)}});
    settle(connection);
    return true;
  }
  if (!lives(connection.session) || connection.moved) {
    if (connection.up) cut(connection);
    return true;
  }
  std::size_t transaction = 0;
  reply outcome = execute(request, connection.session, transaction);
  if (!connection.up) {
    trace_("    (its answer is lost)");
    return true;
  }
  connection.taken.push_back({.outcome = std::move(outcome), .needs = transaction + 1});
  settle(connection);
  return true;
}

// Processes a write on the leader.
reply ensemble::execute(const request& request, session_id session, std::size_t& transaction) {
  reply outcome{.to = request, .result = permits(request)};
  if (deletes(request) && outcome.result == status::ok && throttled_percent_ != 0 &&
      dice_.chance(throttled_percent_))
    outcome.result = status::failed;
  // The part of another lock in the same transaction has failed.
  if (request.may_combine && undone_percent_ != 0 && dice_.chance(undone_percent_)) {
    outcome.result = status::undone;
    statistics_.count(seen::undone);
  }
  change change{.directory = request.directory, .session = session};
  if (outcome.result == status::ok) decide(outcome, change);
  trace_("    session ", session, ": ", to_string(request.what), ' ', request.directory, ' ',
         change.what == change::kind::create ? nodes_.back().name : request.name, ": ",
         to_string(outcome.result));
  transaction = append(change);
  return outcome;
}

// The outcome of a write, and the change that it makes.
void ensemble::decide(reply& outcome, change& change) {
  const request& request = outcome.to;
  const auto& there = truth().at(request.directory);
  switch (request.what) {
  case request::kind::make_parent:
    if (truth().parent_exists(request.directory))
      outcome.result = status::node_exists;
    else
      change.what = change::kind::make_parent;
    return;
  case request::kind::make_directory:
  case request::kind::make_parents:
    if (request.what == request::kind::make_parents)
      change.what = change::kind::make_parents;
    else if (!truth().parent_exists(request.directory))
      outcome.result = status::no_node;
    else if (there.exists)
      outcome.result = status::node_exists;
    else
      change.what = change::kind::make_directory;
    if (!there.exists && there.children_ever != 0) statistics_.count(seen::directory_made_again);
    return;
  case request::kind::create:
    if (!there.exists) {
      outcome.result = status::no_node;
      return;
    }
    change.what = change::kind::create;
    change.node = add_entry(request.name, request.directory, change.session);
    nodes_[change.node].wants = request.wants;
    nodes_[change.node].identity = request.identity;
    nodes_[change.node].entry = request.entry;
    outcome.number = nodes_[change.node].number;
    outcome.czxid = nodes_[change.node].czxid;
    return;
  case request::kind::create_reader: {
    const auto writer = truth().find(request.directory, request.name);
    if (writer == no_such_node) {
      outcome.result = status::no_node;
      return;
    }
    change.what = change::kind::create;
    change.node = add_reader(request.replacement, writer);
    return;
  }
  case request::kind::transaction:
    examine(outcome);
    if (outcome.result == status::ok) transact(outcome, change);
    return;
  case request::kind::remove:
    change.node = truth().find(request.directory, request.name);
    if (change.node == no_such_node)
      outcome.result = status::no_node;
    else
      change.what = change::kind::remove;
    return;
  default:
    return;
  }
}

reply ensemble::read(connection& connection, request request) {
  replica& replica = servers_[connection.server];
  if (replica.applied != log_.size()) statistics_.count(seen::stale_read);
  const auto& there = replica.tree.at(request.directory);
  const auto found =
      request.name.empty() ? no_such_node : replica.tree.find(request.directory, request.name);
  reply outcome{.result = permits(request)};
  switch (outcome.result == status::ok ? request.what : request::kind::sync) {
  case request::kind::ask_limit:
    outcome.limit = there.limit;
    set(replica, {&connection, request.directory, limit_node});
    break;
  case request::kind::list:
  case request::kind::list_and_watch:
    if (!there.exists) {
      outcome.result = status::no_node;
    } else {
      outcome.children = there.children;
      outcome.children_ever = there.children_ever;
      // Servers list children in no order.
      for (std::size_t i = outcome.children.size(); i > 1; --i)
        std::swap(outcome.children[i - 1], outcome.children[dice_.below(i)]);
      if (request.what == request::kind::list_and_watch)
        set(replica, {&connection, request.directory, child_list});
    }
    break;
  case request::kind::exists:
  case request::kind::watch:
    if (found == no_such_node) {
      outcome.result = status::no_node;
      break;
    }
    outcome.czxid = nodes_[found].czxid;
    outcome.is_changed = replica.tree.is_changed(found);
    if (request.what != request::kind::exists)
      set(replica, {&connection, request.directory, found});
    break;
  case request::kind::watch_directory:
    if (there.exists)
      set(replica, {&connection, request.directory, no_such_node});
    else
      outcome.result = status::no_node;
    break;
  case request::kind::remove_watch:
    // A missing node has no watch here, and its id is the id of the directory's own watch.
    if (!request.of_list && !request.name.empty() && found == no_such_node) break;
    std::erase(replica.watches, watcher{&connection, request.directory,
                                        request.of_list        ? child_list
                                        : request.name.empty() ? no_such_node
                                                               : found});
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

// Replies to all requests before the first write that this server has not applied.
void ensemble::settle(connection& connection) {
  while (!connection.taken.empty() && connection.up) {
    pending& next = connection.taken.front();
    if (next.outcome.to.is_write()) {
      if (next.needs > servers_[connection.server].applied) return;
      connection.received.emplace_back(std::move(next.outcome));
    } else {
      connection.received.emplace_back(read(connection, std::move(next.outcome.to)));
    }
    connection.taken.pop_front();
  }
}

} // namespace simulation
