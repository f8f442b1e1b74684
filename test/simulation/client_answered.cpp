// Messages from the servers: replies, and events of watches.

#include "client.hpp"

#include <string>
#include <utility>
#include <variant>

namespace simulation {

using action_kind = action::kind;
using zklock::zookeeper::watch_event;

bool client::deliver() {
  if (look_at_lines()) return true;
  if (!connected_) return false;
  if (connection_.received.empty()) return try_again();
  const message next = std::move(connection_.received.front());
  connection_.received.pop_front();
  std::visit([this](const auto& what) { deliver(what); }, next);
  answers_ += std::holds_alternative<reply>(next);
  check_robbed();
  check_misled();
  return true;
}

// As `client_impl::on_watch` does it.
void client::deliver(const event& event) {
  world_.trace(name_, " queue ", event.directory, ": ", event.deleted ? "deleted: " : "changed: ",
               event.name.empty() ? "the directory" : event.name);
  const auto directory = event.directory % world_.plan.directories;
  driver& to = *locks_[directory].driver;
  auto path = event.node == limit_node ? world_.names.lock(directory)->limit_node
                                       : world_.names.path_of(event.directory);
  if (!event.name.empty()) path += '/' + event.name;
  const auto what = event.deleted              ? watch_event::deleted
                    : event.node == child_list ? watch_event::children
                                               : watch_event::node;
  requester_.watches().fired(path, what);
  const bool of_line = event.node == child_list && event.directory == directory;
  conduct& conduct = locks_[directory].conduct;
  if (of_line) conduct.line_changed();
  if (event.deleted && event.directory == directory) conduct.entry_gone(event.name);
  if (!event.deleted && event.node < limit_node) note_requested(locks_[directory], event.node);
  if (of_line && event.deleted) return to.directory_changed(true);
  if (event.node == child_list || event.node == limit_node) return to.watch_fired(path, what);
  world_.statistics.count(event.name.empty() ? seen::directory_event : seen::entry_event);
  if (event.name.empty())
    to.directory_changed(event.deleted);
  else
    to.entry_changed(event.name, event.deleted);
}

void client::deliver(const reply& reply) {
  const request& to = reply.to;
  our_lock& lock = lock_of(to);
  if (to.to != &*lock.driver) return requester_.deliver(reply);
  const auto what = static_cast<action_kind>(to.tag.what);
  world_.trace(name_, " queue ", to.directory, ": ", to_string(to.what), " answered, entry ",
               to.entry, ' ', to.name, ": ", to_string(reply.result));
  check_order(lock, to);
  note_answer(lock, reply);
  handing_over_ = what == action_kind::downgrade;
  const bool checks =
      what == action_kind::check || (what == action_kind::remove && !to.parts.empty());
  climbing_ = what == action_kind::make_parents;
  missing_ = what == action_kind::confirm && reply.result == status::no_node ? to.entry : 0;
  requester_.deliver(reply);
  missing_ = 0;
  climbing_ = false;
  if (what == action_kind::downgrade || checks) end_handing_over();
  if (what == action_kind::sync_and_list && reply.result == status::no_permission)
    note_permits_left_behind(lock);
  if (what == action_kind::remove_permits) {
    requested_entry* const of = lock.conduct.find_requested(to.entry);
    of->removed = !lock.driver->state().entries().contains(to.entry);
  }
}

void client::check_order(const our_lock& lock, const request& answered) const {
  const auto& in_flight = lock.driver->requests().in_flight();
  if (in_flight.empty()) fail(name_, " gets a reply to no request");
  const zklock::queue::action& first = in_flight.front().action;
  if (static_cast<int>(first.what) != answered.tag.what || first.entry != answered.entry)
    fail(name_, " takes a reply for that to ", to_string(first.what), " entry ", first.entry);
}

void client::note_requested(our_lock& lock, node_id node) {
  const auto& changed = world_.ensemble.at(node);
  if (changed.owner != session()) return;
  requested_entry* const of = lock.conduct.find_requested(changed.entry);
  if (!of) return;
  of->is_requested = true;
  world_.statistics.count(seen::release_requested);
}

void client::note_answer(our_lock& lock, const reply& reply) {
  const request& to = reply.to;
  note_misled_answer(lock, reply);
  switch (static_cast<action_kind>(to.tag.what)) {
  case action_kind::make_parents:
    return lock.conduct.parents_made();
  case action_kind::create:
    return lock.conduct.created(to.entry, reply.result == status::ok ? reply.number : -1);
  case action_kind::take:
    return note_taken(lock, reply);
  case action_kind::ask_limit:
    return lock.conduct.limited(reply.limit);
  case action_kind::downgrade:
    if (reply.result != status::ok && reply.result != status::no_node) leave_robbed(lock);
    if (is_removing(lock, to.entry)) world_.statistics.count(seen::downgrade_given_back);
    return;
  case action_kind::remove:
    if (!note_failed_check(lock, reply)) note_removed(lock, reply);
    return;
  case action_kind::check:
    note_failed_check(lock, reply);
    return;
  case action_kind::remove_orphan:
  case action_kind::remove_orphan_permit:
    return note_orphan_removed(reply);
  case action_kind::watch:
    if (reply.result == status::no_node) lock.conduct.entry_gone(to.name);
    return;
  case action_kind::watch_data:
    if (reply.is_changed) lock.conduct.find_requested(to.entry)->is_requested = true;
    return;
  case action_kind::confirm:
    if (reply.result == status::no_node) world_.statistics.count(seen::missing_found);
    return;
  case action_kind::list:
    return lock.conduct.listed(conduct::list_kind::plain, reply.result != status::failed,
                               reply.children);
  case action_kind::list_and_watch:
    return lock.conduct.listed(conduct::list_kind::watching, reply.result != status::failed,
                               reply.children);
  case action_kind::sync_and_list:
    lock.conduct.listed(conduct::list_kind::recovering, reply.result != status::failed,
                        reply.children);
    if (reply.result == status::no_permission) note_left_behind(lock);
    return;
  case action_kind::list_permits:
    return lock.conduct.permits_listed();
  default:
    return;
  }
}

void client::note_removed(our_lock& lock, const reply& reply) {
  const std::string& name = reply.to.parts.empty() ? reply.to.name : reply.to.parts.back().name;
  if (reply.result == status::no_permission) {
    world_.statistics.count(seen::left_behind);
    const auto left = world_.ensemble.truth().find(reply.to.directory, name);
    if (left != no_such_node) left_behind_.push_back(left);
  }
  lock.conduct.find_requested(reply.to.entry)->removed =
      reply.result != status::failed && reply.result != status::undone;
}

void client::note_orphan_removed(const reply& reply) {
  if (reply.result != status::no_permission) return;
  const auto left = world_.ensemble.truth().find(reply.to.directory, reply.to.name);
  world_.statistics.count(seen::left_behind);
  if (left != no_such_node) left_behind_.push_back(left);
  orphans_.erase(left);
}

void client::note_taken(our_lock& lock, const reply& reply) {
  if (reply.result == status::no_node)
    world_.statistics.count(reply.first_failed == 0 ? seen::take_without_entry
                                                    : seen::take_without_directory);
  lock.conduct.taken(reply.to.entry, reply.result == status::ok);
}

bool client::is_removing(const our_lock& lock, entry_id entry) const {
  const auto& entries = lock.driver->state().entries();
  const auto it = entries.find(entry);
  return it != entries.end() && it->second.is_leaving();
}

// If the servers refuse the list that shows which creates were carried out, the queue cannot know
// of the created nodes.
void client::note_left_behind(our_lock& lock) {
  const auto& own = lock.driver->state().own();
  for (const auto child : world_.ensemble.truth().at(lock.directory).children) {
    const node& left = world_.ensemble.at(child);
    if (left.owner != session() || own.contains(left.number)) continue;
    requested_entry* const of = lock.conduct.find_requested(left.entry);
    if (!of || of->deletes != 0 || of->in_flight) continue;
    of->left_behind = true;
    left_behind_.push_back(child);
  }
}

// If that list is refused, the queue cannot know either whether permits were taken. The next list
// shows the permits, if a next list is sent.
void client::note_permits_left_behind(our_lock& lock) {
  if (!settings_.policy.holds_by_permits()) return;
  const auto& entries = lock.driver->state().entries();
  for (const auto child : world_.ensemble.truth().at(world_.permits_of(lock.directory)).children) {
    const node& left = world_.ensemble.at(child);
    const auto it = entries.find(left.entry);
    if (left.owner != session() || (it != entries.end() && it->second.permits() != 0)) continue;
    if (requested_entry* const of = lock.conduct.find_requested(left.entry)) of->left_behind = true;
    left_behind_.push_back(child);
  }
}

} // namespace simulation
