// The nodes by which those of a lock's directory are in line or hold, what becomes of them where
// somebody else deletes one, and the watches on those that they wait for.

#include "client/client_state.hpp"
#include "client/directory.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace zklock::detail {

using zookeeper::watch_kind;

std::vector<directory::named_node> directory::collect(std::vector<std::string>& paths) const {
  std::vector<named_node> nodes;
  for (const auto& [id, e] : queue_.entries()) {
    if (e.number < 0 || e.is_leaving()) continue;
    const auto form = e.node();
    const std::uint32_t count = form.is_permit ? e.permits() : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto& path = paths.emplace_back();
      if (form.is_permit)
        append_permit_path(path, path_->permits, client_.token(), id, i);
      else
        append_entry_path(path, path_->line, client_.token(), id, policy_.label(e.wants), e.number);
      nodes.push_back({id, form});
    }
  }
  return nodes;
}

void directory::get_and_watch(const std::string& which, zookeeper::request_tag tag) {
  client_.watches().asked(this, which, watch_kind::node);
  client_.session().send(zookeeper::get{.path = which, .watch = true}, *this, tag);
}

void directory::list_and_watch_permits() {
  client_.watches().asked(this, path_->permits, watch_kind::children);
  client_.session().send(zookeeper::list{.path = path_->permits, .watch = true}, *this,
                         ask(queue::action::kind::list_permits));
}

void directory::watch_answered(zookeeper::request_tag tag, zookeeper::status result) {
  const bool set = result == zookeeper::status::ok;
  auto& watches = client_.watches();
  switch (static_cast<kind>(tag.what)) {
  case kind::watch:
    return watches.answered(this, path() + '/' + watches_asked_.front(), watch_kind::node, set);
  case kind::watch_directory:
    return watches.answered(this, path(), watch_kind::node, set);
  case kind::list_permits:
    return watches.answered(this, path_->permits, watch_kind::children, set);
  case kind::ask_limit:
    return watches.answered(this, path_->limit_node, watch_kind::node, set);
  default:
    return;
  }
}

// The checks come first: where what is to be deleted is what is missing, all others exist.
void directory::send_checks(const queue::action& action) {
  using zookeeper::write;
  std::vector<write> writes;
  for (const auto& each : action.checks) {
    std::string full;
    append_entry_path(full, path(), client_.token(), each.entry, policy_.label(each.wants),
                      each.number);
    writes.push_back({.what = write::kind::check, .path = std::move(full)});
  }
  if (action.what == queue::action::kind::remove)
    writes.push_back({.what = write::kind::remove, .path = node_of(action)});
  checks_asked_.push_back(action);
  client_.session().send(zookeeper::transact{.writes = std::move(writes)}, *this,
                         ask(queue::action::kind::check));
}

void directory::checked(queue::answer result, std::size_t first_failed) {
  auto action = std::move(checks_asked_.front());
  checks_asked_.pop_front();
  const bool removes = action.what == queue::action::kind::remove;
  auto& checks = action.checks;
  if (result == queue::answer::ok || first_failed >= checks.size())
    return removes ? removed(action.entry, result) : client_.settle(*this);
  // Nothing of the transaction was done: the rest of it is asked for again. Where something else
  // kept the check from being made, the checks that are made from time to time do for it.
  const auto failed = checks[first_failed];
  const bool gone = result == queue::answer::no_node;
  const auto rest = static_cast<std::ptrdiff_t>(gone ? first_failed + 1 : checks.size());
  checks.erase(checks.begin(), checks.begin() + rest);
  if (removes || !checks.empty()) send(action);
  if (gone) return missing(failed.entry, {.wants = failed.wants});
  client_.settle(*this);
}

void directory::missing(queue::entry_id id, queue::form form) {
  feed([&](queue::event_context& context) { queue_.missing(context, id, form); });
}

void directory::node_gone(std::string_view gone) {
  const auto name = name_of(gone);
  if (path_->kind == lock_kind::semaphore && gone.starts_with(path_->permits + '/')) {
    const auto id = queue::parse_permit(name, client_.token());
    const auto it = id ? queue_.entries().find(*id) : queue_.entries().end();
    if (it != queue_.entries().end() && it->second.node().is_permit)
      missing(*id, it->second.node());
    return;
  }
  const auto parsed = queue::parse_entry_name(name);
  if (parsed && parsed->has_id && parsed->token == client_.token())
    missing(parsed->id, {.wants = policy_.seen_as(parsed->wants)});
}

} // namespace zklock::detail
