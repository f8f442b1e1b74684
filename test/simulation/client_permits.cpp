// How a client carries out what the queue of a semaphore wants done.

#include "client.hpp"

#include <string_view>
#include <utility>

namespace simulation {

using kind = action::kind;

std::string client::permit_name(entry_id id, std::uint32_t index) const {
  std::string result;
  zklock::queue::append_permit(result, token_, id, index);
  return result;
}

void client::take(std::size_t directory, const action& action) {
  world_.statistics.count(action.permits > 1 ? seen::several_taken : seen::taken);
  const auto in_line = locks_[directory].conduct.node_of(action.entry);
  if (in_line != no_such_node)
    world_.referee.check_first(in_line,
                               [&](entry_id id) { return locks_[directory].conduct.stands(id); });
  request request{.what = request::kind::take,
                  .directory = directory,
                  .name = entry_name(action.entry, action.wants, action.number),
                  .beside = world_.permits_of(directory),
                  .entry = action.entry};
  for (std::uint32_t i = 0; i < action.permits; ++i)
    request.permits.push_back(permit_name(action.entry, i));
  send(std::move(request));
}

void client::give_back(std::size_t directory, const action& action) {
  if (locks_[directory].conduct.find_place(action.entry)->holder == 0)
    world_.statistics.count(seen::permits_given_back_untold);
  locks_[directory].leaving[action.entry] = {action.permits, answer::ok};
  for (std::uint32_t i = 0; i < action.permits; ++i)
    send({.what = request::kind::remove,
          .directory = world_.permits_of(directory),
          .name = permit_name(action.entry, i),
          .entry = action.entry});
}

void client::carry_out_permits(std::size_t directory, const action& action) {
  const auto permits = world_.permits_of(directory);
  switch (action.what) {
  case kind::take:
    return take(directory, action);
  case kind::give_back:
    return give_back(directory, action);
  case kind::remove_stray_permit:
    world_.statistics.count(seen::stray_permit);
    return remove_stray(permits, action.name);
  case kind::list_permits:
    world_.statistics.count(seen::list_of_permits);
    return send({.what = request::kind::list_and_watch, .directory = permits});
  case kind::inspect_permit:
    world_.statistics.count(seen::permits_adopted);
    return send({.what = request::kind::exists,
                 .directory = permits,
                 .name = permit_name(action.entry, 0),
                 .entry = action.entry});
  case kind::ask_limit:
    return send({.what = request::kind::ask_limit, .directory = directory});
  default:
    return;
  }
}

// Of several permits the last answer counts, and what went wrong with any of them.
void client::treat_given_back(std::size_t directory, const reply& reply) {
  auto& [left, worst] = locks_[directory].leaving.at(reply.to.entry);
  const bool bad = reply.result != answer::ok && reply.result != answer::no_node;
  if (bad && worst != answer::failed) worst = reply.result;
  if (--left != 0) return;
  const auto result = worst == answer::ok ? reply.result : worst;
  locks_[directory].leaving.erase(reply.to.entry);
  locks_[directory].conduct.find_place(reply.to.entry)->removed = result != answer::failed;
  step(directory,
       [&](auto& queue, auto& context) { queue.removed(context, reply.to.entry, result); });
}

void client::treat_permits(std::size_t directory, const reply& reply) {
  const request& to = reply.to;
  switch (to.what) {
  case request::kind::remove:
    if (to.entry != 0) return treat_given_back(directory, reply);
    if (reply.result == answer::no_permission)
      strays_.erase(world_.ensemble.truth().find(to.directory, to.name));
    return step(directory, [&](auto& queue, auto& context) {
      queue.stray_removed(context, to.name, reply.result);
    });
  case request::kind::check:
    if (reply.result == answer::no_node) {
      world_.statistics.count(seen::missing_found);
      step(directory, [&](auto& queue, auto& context) {
        queue.missing(context, to.entry, {.wants = to.wants, .is_permit = true});
      });
    }
    if (to.purpose == to_know) return;
    return step(
        directory, [](auto& queue, auto& context) { queue.confirmed(context); }, true);
  case request::kind::exists:
    return step(directory, [&](auto& queue, auto& context) {
      queue.inspected(context, to.entry, reply.result, reply.czxid);
    });
  case request::kind::list_and_watch: {
    locks_[directory].conduct.permits_listed();
    std::vector<std::string_view> names;
    for (const auto child : reply.children)
      names.push_back(world_.ensemble.at(child).name);
    return step(directory, [&](auto& queue, auto& context) {
      queue.permits_listed(context, reply.result, names);
    });
  }
  default:
    return;
  }
}

void client::treat_taken(const reply& reply) {
  const request& to = reply.to;
  if (reply.result == answer::no_node && reply.no_entry)
    world_.statistics.count(seen::take_without_entry);
  if (reply.result == answer::no_node && !reply.no_entry)
    world_.statistics.count(seen::take_without_directory);
  locks_[to.directory].conduct.taken(to.entry, reply.result == answer::ok);
  step(to.directory, [&](auto& queue, auto& context) {
    queue.taken(context, to.entry, reply.result, reply.no_entry, reply.czxid);
  });
}

// Where nobody could tell whether they had been taken; the next list shows them, if there is one.
void client::note_permits_left_behind(std::size_t directory) {
  if (!settings_.policy.holds_by_permits()) return;
  const auto& entries = locks_[directory].queue->entries();
  for (const auto child : world_.ensemble.truth().at(world_.permits_of(directory)).children) {
    const node& left = world_.ensemble.at(child);
    const auto it = entries.find(left.entry);
    if (left.owner != session_ || (it != entries.end() && it->second.permits() != 0)) continue;
    if (place* const of = locks_[directory].conduct.find_place(left.entry)) of->left_behind = true;
    left_behind_.push_back(child);
  }
}

// A permit of somebody who holds, or is about to.
bool client::check_permit(std::size_t directory) {
  std::vector<const zklock::queue::entry*> all;
  for (const auto& [id, entry] : locks_[directory].queue->entries())
    if (entry.node().is_permit && !entry.is_leaving()) all.push_back(&entry);
  if (all.empty()) return false;
  const auto& entry = *all[world_.dice.below(all.size())];
  world_.trace(name_, " checks the permits of entry ", entry.id);
  for (std::uint32_t i = 0; i < entry.permits(); ++i)
    send({.what = request::kind::check,
          .directory = world_.permits_of(directory),
          .name = permit_name(entry.id, i),
          .wants = entry.wants,
          .entry = entry.id,
          .purpose = to_know});
  return true;
}

} // namespace simulation
