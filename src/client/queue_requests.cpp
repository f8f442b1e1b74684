#include "client/queue_requests.hpp"

#include "client/node_path.hpp"
#include "client/parents.hpp"
#include "client/permit_limit.hpp"
#include "client/watch_registry.hpp"
#include "zookeeper/error_text.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace zklock::detail {

using queue::answer;
using zookeeper::status;
using zookeeper::watch_kind;
using zookeeper::write;

/// A reply together with its request.
struct queue_requests::arrival {
  event_source& events;
  request& of;
  const zookeeper::reply& reply;
  answer result;
};

namespace {

answer to_answer(status result) noexcept {
  switch (result) {
  case status::ok:
    return answer::ok;
  case status::no_node:
    return answer::no_node;
  case status::no_permission:
    return answer::no_permission;
  case status::parent_is_ephemeral:
    return answer::parent_is_ephemeral;
  case status::undone:
    return answer::undone;
  default:
    return answer::failed;
  }
}

} // namespace

queue_requests::queue_requests(requester& by, zookeeper::receiver& to, const lock_definition& lock,
                               queue::lock_queue& queue)
    : requester_(by), receiver_(to), lock_(lock), queue_(queue) {}

void queue_requests::send(queue::action&& action) {
  if (lock_.has_permits()) {
    // Permits are listed before the line: the nodes that replace an entry then show in one list at
    // least.
    if (action.what == kind::sync_and_list) send({.what = kind::list_permits});
    if (action.what == kind::make_directory && action.name.empty()) {
      send({.what = kind::make_directory, .name = lock_.full});
      send({.what = kind::make_directory, .name = lock_.permits});
    }
  }
  request& made = in_flight_.emplace_back(request{.action = std::move(action)});
  switch (made.action.what) {
  case kind::make_directory:
    return make_directory(made);
  case kind::make_parents:
    return make_parents(made);
  case kind::create:
    return create(made);
  case kind::list:
  case kind::sync_and_list:
    return list(made);
  case kind::list_and_watch:
    return list_and_watch(made);
  case kind::list_permits:
    return list_permits(made);
  case kind::inspect:
    return inspect(made, node_of(made.action));
  case kind::inspect_permit:
    return inspect(made, permit_of(made.action, 0));
  case kind::watch:
    return watch(made);
  case kind::watch_data:
    return watch_data(made);
  case kind::watch_directory:
    return watch_directory(made);
  case kind::ask_limit:
    return ask_limit(made);
  case kind::confirm:
    return confirm(made);
  case kind::check:
    return check(made);
  case kind::remove:
    return remove(made);
  case kind::remove_orphan:
    return remove_orphan(made, lock_.line);
  case kind::remove_orphan_permit:
    return remove_orphan(made, lock_.permits);
  case kind::downgrade:
    return downgrade(made);
  case kind::take:
    return take(made);
  case kind::remove_permits:
    return remove_permits(made);
  default:
    // The driver carries out the notifications.
    in_flight_.pop_back();
  }
}

void queue_requests::answered(const zookeeper::reply& reply, event_source& events) {
  request& first = in_flight_.front();
  log_failure(first.action.what, reply);
  // The queue may send requests or lose the connection before the request is destroyed.
  requests done;
  if (--first.replies == 0) done.splice(done.end(), in_flight_, in_flight_.begin());
  first.on_reply(*this, {events, first, reply, to_answer(reply.result)});
}

void queue_requests::disconnected() noexcept {
  writes_succeed_ = watches_directory_ = false;
  in_flight_.clear();
}

// Where the queue counts the directory as watched, the registry has this use of the watch: the
// registry hears of each reply and of each event before the queue does.
idle_lock queue_requests::rest(watch_registry::user heir) {
  idle_lock kept{.known = queue_.knowledge(), .made = made_, .writes_succeed = writes_succeed_};
  if (kept.known.is_watched) requester_.watches().pass_on(this, heir, lock_.line, watch_kind::node);
  release_watches();
  return kept;
}

void queue_requests::resume(const idle_lock& kept, watch_registry::user keeper) {
  if (kept.known.is_watched)
    requester_.watches().pass_on(keeper, this, lock_.line, watch_kind::node);
  made_ = kept.made;
  writes_succeed_ = kept.writes_succeed;
  watches_directory_ = kept.known.is_watched;
  queue_.resume(kept.known);
}

void queue_requests::directory_changed(bool deleted) noexcept {
  watches_directory_ = false;
  if (deleted) made_.reset(made_line);
}

// Whether a directory exists shows at the requests that use it.
void queue_requests::make_directory(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) { self.note_made(got); };
  make(made);
}

void queue_requests::make_parents(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.note_made(got);
    const auto& lock = self.lock_;
    const auto result = got.reply.result;
    const auto next =
        next_directory(lock.line, lock.full.size() - lock.given.size(), got.of.action.name, result);
    if (!next.empty()) return self.send({.what = kind::make_parents, .name = std::string(next)});
    const bool exists = result == status::ok || result == status::node_exists;
    if (exists && lock.has_permits())
      self.send({.what = kind::make_directory, .name = lock.permits});
    auto context = got.events.begin_event();
    self.queue_.events().directory_made(context, exists ? answer::ok : got.result);
  };
  make(made);
}

void queue_requests::create(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.writes_succeed_ = got.result == answer::ok;
    if (got.result == answer::no_node) self.made_.reset();
    const auto& asked = got.of.action;
    const auto number = queue::number_behind(self.label_of(asked.wants), name_of(got.reply.path));
    auto context = got.events.begin_event();
    self.queue_.events().created(context, asked.entry, got.result, number, got.reply.czxid);
  };
  node_.clear();
  append_entry_path(node_, lock_.line, requester_.token(), made.action.entry,
                    label_of(made.action.wants));
  requester_.send(zookeeper::create_entry{.path = node_,
                                          .data = identity_of(made.action),
                                          .may_combine = writes_succeed_ && watches_directory_},
                  receiver_);
}

void queue_requests::list(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    auto context = got.events.begin_event();
    self.queue_.events().listed(context, got.result, got.reply.children, got.reply.children_ever);
  };
  requester_.send(zookeeper::list{.path = lock_.line}, receiver_);
}

void queue_requests::list_and_watch(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.watch_answered(self.lock_.line, watch_kind::children, got);
    auto context = got.events.begin_event();
    self.queue_.events().children_listed(context, got.result, got.reply.children,
                                         got.reply.children_ever);
  };
  requester_.watches().asked(this, lock_.line, watch_kind::children);
  requester_.send(zookeeper::list{.path = lock_.line, .watch = true}, receiver_);
}

void queue_requests::list_permits(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.watch_answered(self.lock_.permits, watch_kind::children, got);
    auto context = got.events.begin_event();
    self.queue_.events().permits_listed(context, got.result, got.reply.children);
  };
  requester_.watches().asked(this, lock_.permits, watch_kind::children);
  requester_.send(zookeeper::list{.path = lock_.permits, .watch = true}, receiver_);
}

// The names of entries can be guessed: a node of another session is not ours, and ends with that
// session.
void queue_requests::inspect(request& made, const std::string& node) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    const bool other =
        got.result == answer::ok && got.reply.ephemeral_owner != self.requester_.ephemeral_owner();
    auto context = got.events.begin_event();
    self.queue_.events().inspected(context, got.of.action.entry,
                                   other ? answer::no_node : got.result, got.reply.czxid);
  };
  requester_.send(zookeeper::exists{.path = node}, receiver_);
}

void queue_requests::watch(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    const auto& name = got.of.action.name;
    self.watch_answered(self.lock_.line + '/' + name, watch_kind::node, got);
    auto context = got.events.begin_event();
    self.queue_.events().watched(context, name, got.result);
  };
  get_and_watch(lock_.line + '/' + made.action.name);
}

// `exists` would leave a watch on a node that is gone, which would never fire: the servers give no
// later node the name of an entry.
void queue_requests::watch_data(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.watch_answered(self.node_of(got.of.action), watch_kind::node, got);
    auto context = got.events.begin_event();
    self.queue_.events().data_watched(context, got.of.action.entry, got.result,
                                      got.reply.version != 0);
  };
  get_and_watch(node_of(made.action));
}

void queue_requests::watch_directory(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.watches_directory_ = got.result == answer::ok;
    self.watch_answered(self.lock_.line, watch_kind::node, got);
    auto context = got.events.begin_event();
    self.queue_.events().directory_watched(context, got.result);
  };
  get_and_watch(lock_.line);
}

void queue_requests::ask_limit(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.watch_answered(self.lock_.limit_node, watch_kind::node, got);
    auto context = got.events.begin_event();
    self.queue_.events().limited(context, got.result, parse_permit_limit(got.reply));
  };
  get_and_watch(lock_.limit_node);
}

// The driver asks for the proof of the session, which `lock_queue::confirmed` waits for.
void queue_requests::confirm(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    if (got.result != answer::no_node) return;
    const auto it = self.queue_.entries().find(got.of.action.entry);
    if (it == self.queue_.entries().end()) return;
    auto context = got.events.begin_event();
    self.queue_.events().missing(context, it->first, it->second.node());
  };
  const std::array<std::string, 1> paths{made.action.permits != 0 ? permit_of(made.action, 0)
                                                                  : node_of(made.action)};
  requester_.send(zookeeper::check{.paths = paths}, receiver_);
}

// The checks come first: if the part that fails is the delete, all checked nodes exist.
void queue_requests::check(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    auto& action = got.of.action;
    auto& checks = action.checks;
    const bool removes = action.what == kind::remove;
    self.writes_succeed_ = got.result == answer::ok;
    if (got.result == answer::undone) return self.send(std::move(action));
    if (got.result == answer::ok || got.reply.first_failed >= checks.size()) {
      if (!removes) return;
      auto context = got.events.begin_event();
      return self.queue_.events().removed(context, action.entry, got.result);
    }
    // Nothing of the transaction was committed: the rest of it is sent again. If another error kept
    // it from checking, the periodic checks find a missing node.
    const auto failed = checks[got.reply.first_failed];
    const bool gone = got.result == answer::no_node;
    const auto checked = gone ? got.reply.first_failed + 1 : checks.size();
    checks.erase(checks.begin(), checks.begin() + static_cast<std::ptrdiff_t>(checked));
    if (removes || !checks.empty()) self.send(std::move(action));
    if (!gone) return;
    auto context = got.events.begin_event();
    self.queue_.events().missing(context, failed.entry, {.wants = failed.wants});
  };
  const bool removes = made.action.what == kind::remove;
  std::vector<write> writes;
  for (const auto& each : made.action.checks) {
    std::string full;
    append_entry_path(full, lock_.line, requester_.token(), each.entry, label_of(each.wants),
                      each.number);
    writes.push_back({.what = write::kind::check, .path = std::move(full)});
  }
  if (removes) writes.push_back({.what = write::kind::remove, .path = node_of(made.action)});
  requester_.send(zookeeper::transact{.writes = writes, .may_combine = writes_succeed_ && removes},
                  receiver_);
}

void queue_requests::remove(request& made) {
  if (!made.action.checks.empty()) return check(made);
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.writes_succeed_ = got.result == answer::ok;
    auto context = got.events.begin_event();
    self.queue_.events().removed(context, got.of.action.entry, got.result);
  };
  requester_.send(zookeeper::remove{.path = node_of(made.action), .may_combine = writes_succeed_},
                  receiver_);
}

void queue_requests::remove_orphan(request& made, const std::string& directory) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    const auto& name = got.of.action.name;
    // No acquisition waits for it: the log is the only place to report it.
    if (got.result == answer::no_permission)
      self.requester_.log_error(self.lock_.line + ": " + name +
                                " may not be deleted and stays until the session ends");
    got.events.begin_event();
    self.queue_.events().orphan_removed(name, got.result);
  };
  requester_.send(zookeeper::remove{.path = directory + '/' + made.action.name}, receiver_);
}

void queue_requests::downgrade(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    auto context = got.events.begin_event();
    self.queue_.events().downgraded(context, got.of.action.entry, got.result);
  };
  std::vector<write> writes{{.what = write::kind::remove, .path = node_of(made.action)}};
  auto reader = made.action;
  reader.wants = queue::role::shared;
  writes.push_back({.what = write::kind::create,
                    .path = node_of(reader),
                    .data = identity_of(made.action),
                    .ephemeral = true});
  requester_.send(zookeeper::transact{.writes = writes}, receiver_);
}

// The entry's node comes first: if it is missing, the transaction fails at that part. Only the
// first permit carries the identity, so that the transaction does not grow with both.
void queue_requests::take(request& made) {
  made.on_reply = [](queue_requests& self, const arrival& got) {
    auto context = got.events.begin_event();
    self.queue_.events().taken(context, got.of.action.entry, got.result,
                               got.reply.first_failed == 0, got.reply.transaction);
  };
  std::vector<write> writes{{.what = write::kind::remove, .path = node_of(made.action)}};
  for (std::uint32_t i = 0; i < made.action.permits; ++i)
    writes.push_back({.what = write::kind::create,
                      .path = permit_of(made.action, i),
                      .data = i == 0 ? identity_of(made.action) : std::string(),
                      .ephemeral = true});
  requester_.send(zookeeper::transact{.writes = writes}, receiver_);
}

void queue_requests::remove_permits(request& made) {
  made.replies = made.action.permits;
  made.on_reply = [](queue_requests& self, const arrival& got) {
    self.writes_succeed_ = got.result == answer::ok;
    auto& [action, handler, left, worst] = got.of;
    // All deletes are sent again after a failure that may pass, so it outweighs a lasting failure.
    const bool bad = got.result != answer::ok && got.result != answer::no_node;
    if (bad && worst != answer::failed && worst != answer::undone) worst = got.result;
    if (left != 0) return;
    const auto result = worst != answer::ok ? worst : got.result;
    auto context = got.events.begin_event();
    self.queue_.events().removed(context, action.entry, result);
  };
  for (std::uint32_t i = 0; i < made.action.permits; ++i)
    requester_.send(
        zookeeper::remove{.path = permit_of(made.action, i), .may_combine = writes_succeed_},
        receiver_);
}

void queue_requests::make(request& made) {
  auto& directory = made.action.name;
  if (directory.empty()) directory = lock_.line;
  requester_.send(
      zookeeper::create_directory{.path = directory, .container = requester_.containers()},
      receiver_);
}

void queue_requests::get_and_watch(const std::string& node) {
  requester_.watches().asked(this, node, watch_kind::node);
  requester_.send(zookeeper::get{.path = node, .watch = true}, receiver_);
}

// A request that is sent again and fails again is logged once.
void queue_requests::log_failure(kind what, const zookeeper::reply& reply) {
  if (reply.result == status::failed) {
    if (std::exchange(logged_failure_, what) == what) return;
    requester_.log_error(lock_.line + ": refused: " + zookeeper::error_text(reply.error));
  } else if (logged_failure_ == what) {
    logged_failure_.reset();
  }
}

void queue_requests::watch_answered(const std::string& path, watch_kind of, const arrival& got) {
  requester_.watches().answered(this, path, of, got.result == answer::ok);
}

void queue_requests::note_made(const arrival& got) noexcept {
  if (got.result != answer::ok || !requester_.containers()) return;
  const auto& directory = got.of.action.name;
  if (directory == lock_.line)
    made_.set(made_line);
  else if (directory == lock_.full)
    made_.set(made_full);
  else if (directory == lock_.permits)
    made_.set(made_permits);
}

const std::string& queue_requests::node_of(const queue::action& action) {
  node_.clear();
  append_entry_path(node_, lock_.line, requester_.token(), action.entry, label_of(action.wants),
                    action.number);
  return node_;
}

std::string queue_requests::permit_of(const queue::action& action, std::uint32_t index) const {
  std::string path;
  append_permit_path(path, lock_.permits, requester_.token(), action.entry, index);
  return path;
}

} // namespace zklock::detail
