#include "client/queue_requests.hpp"

#include "client/node_path.hpp"
#include "client/watch_registry.hpp"

#include <array>
#include <new>
#include <utility>

namespace zklock::detail {

using zookeeper::watch_kind;
using zookeeper::write;

namespace {

const char* without_memory_for(queue::action::kind what) noexcept {
  using kind = queue::action::kind;
  switch (what) {
  case kind::make_directory:
  case kind::make_parents:
    return "no memory for a request to create a lock's directory";
  case kind::create:
    return "no memory for a request to create an entry";
  case kind::remove:
  case kind::remove_orphan:
    return "no memory for a request to delete an entry";
  case kind::downgrade:
  case kind::take:
    return "no memory for a request to replace an entry";
  case kind::give_back:
  case kind::remove_orphan_permit:
    return "no memory for a request to delete permits";
  default:
    return "no memory for a request to look at a lock";
  }
}

} // namespace

queue_requests::queue_requests(requester& by, zookeeper::receiver& to, const lock_definition& lock,
                               queue::lock_policy policy)
    : requester_(by),
      receiver_(to),
      lock_(lock),
      policy_(policy),
      parents_(lock.line, lock.full.size() - lock.given.size()) {
  // A release needs as much, and must not fail for want of memory.
  node_.reserve(lock.line.size() + entry_name_bytes);
}

// After a request for which there is no memory none may follow, since the queue counts on their
// order. The connection is given up: the list of the recovery settles the rest.
void queue_requests::send(const queue::action& action) noexcept {
  if (stalled_) return;
  try {
    request(action);
  } catch (const std::bad_alloc&) {
    stalled_ = true;
    requester_.give_up_connection(without_memory_for(action.what));
  }
}

void queue_requests::disconnected() noexcept {
  stalled_ = writes_succeed_ = watches_directory_ = false;
  in_flight_.clear();
}

void queue_requests::requests::clear() noexcept {
  count = 0;
  watches.clear();
  data_watches.clear();
  orphans.clear();
  checks.clear();
  permits.clear();
}

void queue_requests::request(const queue::action& action) {
  switch (action.what) {
  case kind::make_directory:
    if (lock_.has_permits()) {
      make(lock_.full, action.what, made_full);
      make(lock_.permits, action.what, made_permits);
    }
    return make(lock_.line, action.what, made_line);
  case kind::make_parents:
    parents_.restart();
    return make(parents_.next(), action.what);
  case kind::create:
    node_.clear();
    append_entry_path(node_, lock_.line, requester_.token(), action.entry,
                      policy_.label(action.wants));
    return send(zookeeper::create_entry{.path = node_,
                                        .data = requester_.identity(),
                                        .may_combine = writes_succeed_ && watches_directory_},
                action.what, action.entry);
  case kind::sync_and_list:
    // The permits first: what replaces an entry then shows in at least one of the two lists.
    if (lock_.has_permits()) list_permits();
    [[fallthrough]];
  case kind::list:
    return send(zookeeper::list{.path = lock_.line}, action.what);
  case kind::list_and_watch:
    requester_.watches().asked(&receiver_, lock_.line, watch_kind::children);
    return send(zookeeper::list{.path = lock_.line, .watch = true}, action.what);
  case kind::check:
    return check(action);
  case kind::remove:
    if (!action.checks.empty()) return check(action);
    return send(zookeeper::remove{.path = node_of(action), .may_combine = writes_succeed_},
                action.what, action.entry);
  case kind::remove_orphan:
    return remove_orphan(lock_.line, action);
  case kind::remove_orphan_permit:
    return remove_orphan(lock_.permits, action);
  case kind::inspect:
    // No access list denies this, unlike reading the node.
    return send(zookeeper::exists{.path = node_of(action)}, action.what, action.entry);
  case kind::watch:
    in_flight_.watches.push_back(action.name);
    return get_and_watch(lock_.line + '/' + action.name, action.what);
  case kind::watch_data:
    // No access list denies this, unlike reading the node.
    return watch_data(node_of(action), action.entry);
  case kind::watch_directory:
    return get_and_watch(lock_.line, action.what);
  case kind::downgrade:
    return downgrade(action);
  case kind::take:
    return take(action);
  case kind::give_back:
    return give_back(action);
  case kind::list_permits:
    return list_permits();
  case kind::inspect_permit:
    return send(zookeeper::exists{.path = permit_of(action, 0)}, action.what, action.entry);
  case kind::ask_limit:
    return get_and_watch(lock_.limit_node, action.what);
  case kind::confirm: {
    const std::array<std::string, 1> paths{action.permits != 0 ? permit_of(action, 0)
                                                               : node_of(action)};
    return send(zookeeper::check{.paths = paths}, action.what, action.entry);
  }
  default:
    return;
  }
}

void queue_requests::send(zookeeper::request what, kind of, std::uint64_t which) {
  ++in_flight_.count;
  requester_.send(std::move(what), receiver_, {static_cast<int>(of), which});
}

void queue_requests::make(const std::string& directory, kind what, std::uint64_t which) {
  send(zookeeper::create_directory{.path = directory, .container = requester_.containers()}, what,
       which);
}

void queue_requests::get_and_watch(const std::string& node, kind what) {
  requester_.watches().asked(&receiver_, node, watch_kind::node);
  send(zookeeper::get{.path = node, .watch = true}, what);
}

void queue_requests::watch_data(const std::string& node, queue::entry_id entry) {
  in_flight_.data_watches.push_back(node);
  requester_.watches().asked(&receiver_, node, watch_kind::node);
  send(zookeeper::exists{.path = node, .watch = true}, kind::watch_data, entry);
}

void queue_requests::list_permits() {
  requester_.watches().asked(&receiver_, lock_.permits, watch_kind::children);
  send(zookeeper::list{.path = lock_.permits, .watch = true}, kind::list_permits);
}

void queue_requests::remove_orphan(const std::string& directory, const queue::action& action) {
  in_flight_.orphans.push_back(action.name);
  send(zookeeper::remove{.path = directory + '/' + action.name}, action.what);
}

// The entry's node comes first: if it is missing, the transaction fails at that part. Only the
// first permit carries the identity, so that the transaction does not grow with both.
void queue_requests::take(const queue::action& action) {
  std::vector<write> writes{{.what = write::kind::remove, .path = node_of(action)}};
  writes.reserve(std::size_t{action.permits} + 1);
  for (std::uint32_t i = 0; i < action.permits; ++i)
    writes.push_back({.what = write::kind::create,
                      .path = permit_of(action, i),
                      .data = i == 0 ? requester_.identity() : std::string(),
                      .ephemeral = true});
  send(zookeeper::transact{.writes = writes}, action.what, action.entry);
}

void queue_requests::downgrade(const queue::action& action) {
  auto reader = action;
  reader.wants = queue::role::shared;
  std::vector<write> writes{{.what = write::kind::remove, .path = node_of(action)},
                            {.what = write::kind::create,
                             .path = node_of(reader),
                             .data = requester_.identity(),
                             .ephemeral = true}};
  send(zookeeper::transact{.writes = writes}, action.what, action.entry);
}

void queue_requests::give_back(const queue::action& action) {
  in_flight_.permits[action.entry] = {.left = action.permits};
  for (std::uint32_t i = 0; i < action.permits; ++i)
    send(zookeeper::remove{.path = permit_of(action, i), .may_combine = writes_succeed_},
         action.what, action.entry);
}

// The checks come first: if the part that fails is the delete, all checked nodes exist.
void queue_requests::check(const queue::action& action) {
  std::vector<write> writes;
  for (const auto& each : action.checks) {
    std::string full;
    append_entry_path(full, lock_.line, requester_.token(), each.entry, policy_.label(each.wants),
                      each.number);
    writes.push_back({.what = write::kind::check, .path = std::move(full)});
  }
  if (action.what == kind::remove)
    writes.push_back({.what = write::kind::remove, .path = node_of(action)});
  in_flight_.checks.push_back(action);
  const bool may_combine = writes_succeed_ && action.what == kind::remove;
  send(zookeeper::transact{.writes = writes, .may_combine = may_combine}, kind::check,
       action.entry);
}

const std::string& queue_requests::node_of(const queue::action& action) {
  node_.clear();
  append_entry_path(node_, lock_.line, requester_.token(), action.entry,
                    policy_.label(action.wants), action.number);
  return node_;
}

std::string queue_requests::permit_of(const queue::action& action, std::uint32_t index) const {
  std::string path;
  append_permit_path(path, lock_.permits, requester_.token(), action.entry, index);
  return path;
}

} // namespace zklock::detail
