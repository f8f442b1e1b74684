// Translates replies to events of a lock's queue.

#include "client/lock_driver.hpp"
#include "client/node_path.hpp"
#include "client/permit_limit.hpp"

#include <cstddef>
#include <utility>

namespace zklock::detail {

using queue::answer;

namespace {

answer to_answer(zookeeper::status result) noexcept {
  switch (result) {
  case zookeeper::status::ok:
    return answer::ok;
  case zookeeper::status::no_node:
    return answer::no_node;
  case zookeeper::status::no_permission:
    return answer::no_permission;
  case zookeeper::status::parent_is_ephemeral:
    return answer::parent_is_ephemeral;
  case zookeeper::status::undone:
    return answer::undone;
  default:
    return answer::failed;
  }
}

} // namespace

void lock_driver::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  requests_.answered(tag, reply);
  handle(tag, reply);
}

void lock_driver::handle(zookeeper::request_tag tag, const zookeeper::reply& reply) {
  const auto result = to_answer(reply.result);
  const auto id = tag.which;
  switch (static_cast<kind>(tag.what)) {
  case kind::make_parents:
    return parent_made(reply.result);
  case kind::make_directory:
    // Whether the directory exists shows at the requests that use it.
    return listener_.on_settled();
  case kind::create:
    return created(id, reply);
  case kind::list:
  case kind::sync_and_list:
    return feed([&](queue::event_context& context) {
      queue_.listed(context, result, reply.children, reply.children_ever);
    });
  case kind::list_and_watch:
    return feed([&](queue::event_context& context) {
      queue_.children_listed(context, result, reply.children, reply.children_ever);
    });
  case kind::remove:
    return removed(id, result);
  case kind::give_back:
    if (const auto all = requests_.permit_removed(id, result)) return removed(id, *all);
    return listener_.on_settled();
  case kind::remove_orphan:
  case kind::remove_orphan_permit:
    return orphan_removed(result);
  case kind::inspect:
  case kind::inspect_permit: {
    // The names of entries can be guessed: a node of another session is not ours, and ends with it.
    const bool other =
        result == answer::ok && reply.ephemeral_owner != requester_.ephemeral_owner();
    return feed([&](queue::event_context& context) {
      queue_.inspected(context, id, other ? answer::no_node : result, reply.czxid);
    });
  }
  case kind::watch: {
    const auto name = requests_.take_watch();
    return feed([&](queue::event_context& context) { queue_.watched(context, name, result); });
  }
  case kind::watch_data:
    return feed([&](queue::event_context& context) {
      queue_.data_watched(context, id, result, reply.version != 0);
    });
  case kind::watch_directory:
    return feed([&](queue::event_context& context) { queue_.directory_watched(context, result); });
  case kind::confirm:
    if (result == answer::no_node) {
      const auto it = queue_.entries().find(id);
      if (it != queue_.entries().end()) missing(id, it->second.node());
    }
    requester_.when_proven(*this);
    return listener_.on_settled();
  case kind::check:
    return checked(result, reply.first_failed);
  case kind::downgrade:
    return feed([&](queue::event_context& context) { queue_.downgraded(context, id, result); });
  case kind::take:
    return feed([&](queue::event_context& context) {
      queue_.taken(context, id, result, reply.first_failed == 0, reply.transaction);
    });
  case kind::list_permits:
    return feed([&](queue::event_context& context) {
      queue_.permits_listed(context, result, reply.children);
    });
  case kind::ask_limit:
    return limited(reply);
  default:
    return listener_.on_settled();
  }
}

void lock_driver::parent_made(zookeeper::status result) {
  if (!requests_.parent_made(result)) return;
  const auto all = result == zookeeper::status::node_exists ? answer::ok : to_answer(result);
  feed([&](queue::event_context& context) { queue_.directory_made(context, all); });
}

void lock_driver::created(queue::entry_id id, const zookeeper::reply& reply) {
  const auto result = to_answer(reply.result);
  const auto parsed = queue::parse_entry_name(name_of(reply.path));
  feed([&](queue::event_context& context) {
    queue_.created(context, id, result, parsed ? parsed->number : -1, reply.czxid);
  });
}

void lock_driver::checked(answer result, std::size_t first_failed) {
  auto action = requests_.take_check();
  const bool removes = action.what == kind::remove;
  auto& checks = action.checks;
  if (result == answer::undone) {
    requests_.send(action);
    return listener_.on_settled();
  }
  if (result == answer::ok || first_failed >= checks.size())
    return removes ? removed(action.entry, result) : listener_.on_settled();
  // Nothing of the transaction was committed: the rest of it is sent again. If another error kept
  // it from checking, the periodic checks find a missing node.
  const auto failed = checks[first_failed];
  const bool gone = result == answer::no_node;
  const auto rest = static_cast<std::ptrdiff_t>(gone ? first_failed + 1 : checks.size());
  checks.erase(checks.begin(), checks.begin() + rest);
  if (removes || !checks.empty()) requests_.send(action);
  if (gone) return missing(failed.entry, {.wants = failed.wants});
  listener_.on_settled();
}

void lock_driver::removed(queue::entry_id id, answer result) {
  feed([&](queue::event_context& context) { queue_.removed(context, id, result); });
}

void lock_driver::orphan_removed(answer result) {
  const auto name = requests_.take_orphan();
  // No acquisition waits for it: the log is the only place to report it.
  if (result == answer::no_permission)
    requester_.log_error(lock_->line + ": " + name +
                         " may not be deleted and stays until the session ends");
  feed([&](queue::event_context& context) { queue_.orphan_removed(context, name, result); });
}

void lock_driver::limited(const zookeeper::reply& reply) {
  const auto value = parse_permit_limit(reply);
  feed([&](queue::event_context& context) {
    queue_.limited(context, to_answer(reply.result), value);
  });
}

} // namespace zklock::detail
