// Translates replies to events of a lock's queue.

#include "client/lock_driver.hpp"
#include "client/node_path.hpp"
#include "client/permit_limit.hpp"
#include "client/watch_registry.hpp"

#include <cstddef>
#include <utility>

namespace zklock::detail {

using queue::answer;
using zookeeper::watch_kind;

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
  default:
    return answer::failed;
  }
}

} // namespace

void lock_driver::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  const auto what = static_cast<kind>(tag.what);
  --in_flight_.count;
  log_failure(what, reply);
  watch_answered(what, reply.result);
  handle(tag, reply);
}

// A request that is sent again and fails again is logged once.
void lock_driver::log_failure(kind what, const zookeeper::reply& reply) {
  if (reply.result == zookeeper::status::failed) {
    if (std::exchange(told_failure_, what) == what) return;
    requester_.log_error(lock_->line + ": refused: " + std::string(reply.detail));
  } else if (told_failure_ == what) {
    told_failure_.reset();
  }
}

void lock_driver::handle(zookeeper::request_tag tag, const zookeeper::reply& reply) {
  const auto result = to_answer(reply.result);
  const auto id = tag.which;
  switch (static_cast<kind>(tag.what)) {
  case kind::make_parents:
    return parent_made(reply.result);
  case kind::make_directory:
    // Whether the directory exists shows at the requests that use it.
    note_made(id, reply.result);
    return listener_.on_settled();
  case kind::create:
    return created(id, reply);
  case kind::list:
  case kind::sync_and_list:
    return feed([&](queue::event_context& context) {
      queue_.listed(context, result, reply.children, reply.children_ever);
    });
  case kind::remove:
  case kind::give_back:
    return removed(id, result);
  case kind::remove_orphan:
  case kind::remove_orphan_permit:
    return orphan_removed(result);
  case kind::inspect:
  case kind::inspect_permit:
    return feed(
        [&](queue::event_context& context) { queue_.inspected(context, id, result, reply.czxid); });
  case kind::watch: {
    const auto name = std::move(in_flight_.watches.front());
    in_flight_.watches.pop_front();
    return feed([&](queue::event_context& context) { queue_.watched(context, name, result); });
  }
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

void lock_driver::watch_answered(kind what, zookeeper::status result) {
  const bool set = result == zookeeper::status::ok;
  auto& watches = requester_.watches();
  switch (what) {
  case kind::watch:
    return watches.answered(this, lock_->line + '/' + in_flight_.watches.front(), watch_kind::node,
                            set);
  case kind::watch_directory:
    return watches.answered(this, lock_->line, watch_kind::node, set);
  case kind::list_permits:
    return watches.answered(this, lock_->permits, watch_kind::children, set);
  case kind::ask_limit:
    return watches.answered(this, lock_->limit_node, watch_kind::node, set);
  default:
    return;
  }
}

void lock_driver::note_made(std::size_t which, zookeeper::status result) noexcept {
  if (result == zookeeper::status::ok && requester_.containers()) made_.set(which);
}

void lock_driver::parent_made(zookeeper::status result) {
  if (const auto asked = parents_.next(); asked == lock_->line)
    note_made(made_line, result);
  else if (asked == lock_->full)
    note_made(made_full, result);
  if (parents_.answered(result)) return make(parents_.next(), kind::make_parents);
  const auto all = result == zookeeper::status::node_exists ? answer::ok : to_answer(result);
  // Whether the other directory exists shows at the requests that use it.
  if (all == answer::ok && lock_->has_permits())
    make(lock_->permits, kind::make_directory, made_permits);
  feed([&](queue::event_context& context) { queue_.directory_made(context, all); });
}

void lock_driver::created(queue::entry_id id, const zookeeper::reply& reply) {
  const auto result = to_answer(reply.result);
  if (result == answer::no_node) made_.reset();
  const auto parsed = queue::parse_entry_name(name_of(reply.path));
  feed([&](queue::event_context& context) {
    queue_.created(context, id, result, parsed ? parsed->number : -1, reply.czxid);
  });
}

void lock_driver::checked(answer result, std::size_t first_failed) {
  auto action = std::move(in_flight_.checks.front());
  in_flight_.checks.pop_front();
  const bool removes = action.what == kind::remove;
  auto& checks = action.checks;
  if (result == answer::ok || first_failed >= checks.size())
    return removes ? removed(action.entry, result) : listener_.on_settled();
  // Nothing of the transaction was committed: the rest of it is sent again. If another error kept
  // it from checking, the periodic checks find a missing node.
  const auto failed = checks[first_failed];
  const bool gone = result == answer::no_node;
  const auto rest = static_cast<std::ptrdiff_t>(gone ? first_failed + 1 : checks.size());
  checks.erase(checks.begin(), checks.begin() + rest);
  if (removes || !checks.empty()) try_to_request(action);
  if (gone) return missing(failed.entry, {.wants = failed.wants});
  listener_.on_settled();
}

// The deletes of several permits end with the last answer. A failure that may pass counts before
// one that stays, since all of them are then tried again.
void lock_driver::removed(queue::entry_id id, answer result) {
  if (const auto it = in_flight_.permits.find(id); it != in_flight_.permits.end()) {
    auto& [left, worst] = it->second;
    const bool bad = result != answer::ok && result != answer::no_node;
    if (bad && worst != answer::failed) worst = result;
    if (--left != 0) return listener_.on_settled();
    if (worst != answer::ok) result = worst;
    in_flight_.permits.erase(it);
  }
  feed([&](queue::event_context& context) { queue_.removed(context, id, result); });
}

void lock_driver::orphan_removed(answer result) {
  const auto name = std::move(in_flight_.orphans.front());
  in_flight_.orphans.pop_front();
  // No acquisition waits for it: the log is the only place to report it.
  if (result == answer::no_permission)
    requester_.log_error(lock_->line + ": " + name +
                         " may not be deleted and stays until the session ends");
  feed([&](queue::event_context& context) { queue_.orphan_removed(context, name, result); });
}

void lock_driver::limited(const zookeeper::reply& reply) {
  const auto value = parse_permit_limit(reply);
  const bool denied = reply.result == zookeeper::status::no_permission;
  const bool ok = reply.result == zookeeper::status::ok;
  feed([&](queue::event_context& context) {
    queue_.limited(context,
                   denied ? answer::no_permission
                   : ok   ? answer::ok
                          : answer::failed,
                   value);
  });
}

} // namespace zklock::detail
