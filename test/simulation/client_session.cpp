// What a client makes of what happens to its session: connections, answers, events of watches.

#include "client.hpp"

#include <string_view>
#include <utility>
#include <variant>

namespace simulation {

namespace {

// No token has bits where every uuid has its version.
constexpr std::uint64_t token_mask = ~std::uint64_t{0xf000};

} // namespace

bool client::deliver() {
  if (!connected_) return false;
  if (connection_.received.empty()) return try_again();
  const message next = std::move(connection_.received.front());
  connection_.received.pop_front();
  std::visit([this](const auto& what) { treat(what); }, next);
  answers_ += std::holds_alternative<reply>(next);
  check_robbed();
  return true;
}

// Some time later. Returns whether there was anything.
bool client::try_again() {
  bool any = false;
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    if (!locks_[i].queue->has_refused()) continue;
    any = true;
    world_.trace(name_, " queue ", i, ": tries again");
    world_.statistics.count(seen::tried_again);
    step(i, [](auto& queue, auto& context) { queue.try_again(context); });
  }
  return any;
}

void client::lose_connection() {
  world_.trace(name_, " loses the connection");
  world_.statistics.count(seen::disconnection);
  world_.ensemble.cut(connection_);
  connection_.received.clear();
  connected_ = false;
  robbed_.clear();
  requests_ = answers_ = 0;
  for (auto& lock : locks_) {
    lock.conduct.disconnected();
    lock.queue->disconnected();
    lock.unanswered = 0;
    lock.leaving.clear();
  }
}

bool client::connect(std::size_t server) {
  // A deposed leader knows of no end of a session, and begins none.
  const bool deposed = world_.ensemble.is_deposed(server);
  if (deposed && session_ == 0) return false;
  if (session_ != 0 && !world_.ensemble.lives(session_) && !deposed) {
    world_.trace(name_, " hears that session ", session_, " has ended");
    world_.statistics.count(seen::expiry);
    for (std::size_t i = 0; i < locks_.size(); ++i)
      step(i, [](auto& queue, auto& context) { queue.expired(context); });
    session_ = 0;
    return false;
  }
  const bool is_new = session_ == 0;
  if (is_new) {
    session_ = world_.ensemble.start_session();
    token_.bits = world_.dice.next() & token_mask;
  }
  world_.trace(name_, " connects to server ", server, " in session ", session_);
  world_.ensemble.attach(connection_, session_, server);
  connected_ = true;
  if (deposed) world_.statistics.count(seen::deposed_met);
  // What is read on this connection is answered behind a write that the quorum has confirmed.
  if (!is_new)
    send({.what = request::kind::check, .name = "no such node", .purpose = to_be_current});
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    locks_[i].conduct.connected(session_);
    step(i, [this](auto& queue, auto& context) { queue.connected(context, token_); });
  }
  return true;
}

void client::treat(const event& event) {
  world_.trace(name_, " queue ", event.directory, ": ", event.deleted ? "deleted: " : "changed: ",
               event.name.empty() ? "the directory" : event.name);
  if (event.node == child_list)
    return step(lock_of(event.directory),
                [](auto& queue, auto& context) { queue.permits_changed(context); });
  if (event.node == limit_node)
    return step(event.directory, [](auto& queue, auto& context) { queue.limit_changed(context); });
  world_.statistics.count(event.name.empty() ? seen::directory_event : seen::entry_event);
  step(event.directory, [&](auto& queue, auto& context) {
    if (event.name.empty())
      queue.directory_changed(context, event.deleted);
    else
      queue.entry_changed(context, event.name, event.deleted);
  });
}

void client::treat(const reply& reply) {
  const request& to = reply.to;
  const auto directory = lock_of(to.directory);
  --locks_[directory].unanswered;
  if (to.what == request::kind::sync || to.what == request::kind::make_directory) return;
  if (to.purpose == to_be_current) return;
  world_.trace(name_, " queue ", to.directory, ": ", to_string(to.what), " answered, ",
               to.entry == 0 ? to.name : text("entry ", to.entry), ": ", to_string(reply.result));
  if (to.directory != directory) return treat_permits(directory, reply);
  conduct& conduct = locks_[to.directory].conduct;
  place* const of = conduct.find_place(to.entry);
  switch (to.what) {
  case request::kind::make_parents:
    conduct.parents_made();
    // What is missing beside it shows when it is used.
    if (settings_.policy.holds_by_permits())
      send({.what = request::kind::make_directory, .directory = world_.permits_of(directory)});
    return step(to.directory,
                [&](auto& queue, auto& context) { queue.directory_made(context, reply.result); });
  case request::kind::create:
    conduct.created(to.entry, reply.number);
    return step(to.directory, [&](auto& queue, auto& context) {
      queue.created(context, to.entry, reply.result, reply.number, reply.czxid);
    });
  case request::kind::take:
    return treat_taken(reply);
  case request::kind::ask_limit:
    conduct.limited(reply.limit);
    return step(directory, [&](auto& queue, auto& context) {
      queue.limited(context, reply.result, reply.limit);
    });
  case request::kind::downgrade:
    if (is_removing(to)) world_.statistics.count(seen::downgrade_given_back);
    handing_over_ = true;
    step(to.directory,
         [&](auto& queue, auto& context) { queue.downgraded(context, to.entry, reply.result); });
    return end_handing_over();
  case request::kind::remove:
    if (treat_failed_check(reply)) return;
    if (reply.result == answer::no_permission) {
      world_.statistics.count(seen::left_behind);
      const auto left = world_.ensemble.truth().find(to.directory, to.name);
      if (left != no_such_node) left_behind_.push_back(left);
      strays_.erase(left);
    }
    if (to.entry == 0)
      return step(to.directory, [&](auto& queue, auto& context) {
        queue.stray_removed(context, to.name, reply.result);
      });
    of->removed = reply.result != answer::failed;
    return step(to.directory, [&](auto& queue, auto& context) {
      queue.removed(context, to.entry, reply.result);
    });
  case request::kind::check:
    if (to.name.empty()) {
      treat_failed_check(reply);
      return;
    }
    if (reply.result == answer::no_node) {
      world_.statistics.count(seen::missing_found);
      step(to.directory, [&](auto& queue, auto& context) {
        queue.missing(context, to.entry, {.wants = to.wants});
      });
    }
    if (to.purpose == to_know) return;
    return step(
        to.directory, [](auto& queue, auto& context) { queue.confirmed(context); }, true);
  case request::kind::list:
    return treat_list(reply);
  case request::kind::exists:
    return step(to.directory, [&](auto& queue, auto& context) {
      queue.inspected(context, to.entry, reply.result, reply.czxid);
    });
  case request::kind::watch:
    return step(to.directory,
                [&](auto& queue, auto& context) { queue.watched(context, to.name, reply.result); });
  case request::kind::watch_directory:
    return step(to.directory, [&](auto& queue, auto& context) {
      queue.directory_watched(context, reply.result);
    });
  default:
    return;
  }
}

bool client::is_removing(const request& to) const {
  const auto& entries = locks_[to.directory].queue->entries();
  const auto it = entries.find(to.entry);
  return it != entries.end() && it->second.is_leaving();
}

void client::treat_list(const reply& reply) {
  const request& to = reply.to;
  const bool denied = reply.result == answer::no_permission;
  locks_[to.directory].conduct.listed(to.purpose == to_recover, reply.result != answer::failed);
  if (to.purpose == to_recover && denied) note_left_behind(to.directory);
  std::vector<std::string_view> names;
  names.reserve(reply.children.size());
  for (const auto child : reply.children)
    names.push_back(world_.ensemble.at(child).name);
  step(to.directory, [&](auto& queue, auto& context) {
    queue.listed(context, reply.result, names, reply.children_ever);
  });
  if (to.purpose == to_recover && denied) note_permits_left_behind(to.directory);
}

// Where the list is refused that was to tell which creates had been carried out, the queue cannot
// know of their nodes.
void client::note_left_behind(std::size_t directory) {
  const auto& own = locks_[directory].queue->own();
  for (const auto child : world_.ensemble.truth().at(directory).children) {
    const node& left = world_.ensemble.at(child);
    if (left.owner != session_ || own.contains(left.number)) continue;
    place* const of = locks_[directory].conduct.find_place(left.entry);
    if (!of || of->deletes != 0 || of->in_flight) continue;
    of->left_behind = true;
    left_behind_.push_back(child);
  }
}

bool client::is_fooled(std::size_t directory) const {
  if (!connected_ || world_.ensemble.watches_directory(connection_, directory)) return false;
  const auto& own = locks_[directory].queue->own();
  for (const auto id : world_.ensemble.deleted_by_hand()) {
    const node& gone = world_.ensemble.at(id);
    if (gone.owner != session_ || gone.directory != directory) continue;
    const auto in_line = own.find(gone.number);
    if (in_line != own.end() && in_line->second->id == gone.entry) return true;
    if (locks_[directory].conduct.is_open(gone.entry)) return true;
  }
  return false;
}

void client::check_downgrades() const {
  for (const auto& lock : locks_)
    lock.conduct.check_downgrades();
}

void client::check_rest() const {
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    const auto& lock = locks_[i];
    if (!lock.conduct.attempts().empty())
      fail(name_, " has forgotten acquisition ", lock.conduct.attempts().begin()->first);
    if (!lock.queue->empty()) fail(name_, " has something left in the queue of directory ", i);
    if (!lock.queue->own().empty()) fail(name_, " has a line in the queue of directory ", i);
  }
  for (std::size_t i = 0; i < world_.ensemble.truth().directories(); ++i)
    for (const auto child : world_.ensemble.truth().at(i).children)
      if (world_.ensemble.at(child).owner == session_)
        fail(name_, " has left ", world_.ensemble.at(child).name);
}

} // namespace simulation
