// How a lock's directory carries out what its queue wants done.

#include "client/client_state.hpp"
#include "client/directory.hpp"

#include <array>
#include <utility>

namespace zklock::detail {

using kind = queue::action::kind;

namespace {

error_code to_error(queue::reason why) noexcept {
  switch (why) {
  case queue::reason::none:
    return {};
  case queue::reason::busy:
    return errc::busy;
  case queue::reason::budget_exhausted:
    return errc::budget_exhausted;
  case queue::reason::no_permission:
    return errc::no_permission;
  case queue::reason::no_chroot:
    return errc::no_chroot;
  case queue::reason::parent_is_ephemeral:
    return errc::not_a_directory;
  case queue::reason::sequence_exhausted:
    return errc::sequence_exhausted;
  case queue::reason::too_many_permits:
    return errc::bad_permits;
  case queue::reason::bad_limit:
    return errc::bad_limit;
  case queue::reason::failed:
    return errc::refused;
  case queue::reason::entry_deleted:
    return errc::entry_deleted;
  case queue::reason::session_expired:
    return errc::session_expired;
  }
  return errc::refused;
}

} // namespace

zookeeper::request_tag directory::ask(kind what, std::uint64_t which) noexcept {
  ++unanswered_;
  return {static_cast<int>(what), which};
}

const std::string& directory::node_of(const queue::action& action) {
  node_.clear();
  append_entry_path(node_, path(), client_.token(), action.entry, policy_.label(action.wants),
                    action.number);
  return node_;
}

void directory::request(const queue::action& action) {
  auto& session = client_.session();
  switch (action.what) {
  case kind::make_directory:
    if (path_->kind == lock_kind::semaphore) {
      session.send(
          zookeeper::create_directory{.path = path_->full, .container = client_.containers()},
          *this, ask(action.what, made_full));
      session.send(
          zookeeper::create_directory{.path = path_->permits, .container = client_.containers()},
          *this, ask(action.what, made_permits));
    }
    return session.send(
        zookeeper::create_directory{.path = path(), .container = client_.containers()}, *this,
        ask(action.what, made_line));
  case kind::make_parents:
    parents_.restart();
    return session.send(
        zookeeper::create_directory{.path = parents_.next(), .container = client_.containers()},
        *this, ask(action.what));
  case kind::create:
    client_.checks().note_use();
    node_.clear();
    append_entry_path(node_, path(), client_.token(), action.entry, policy_.label(action.wants));
    return session.send(zookeeper::create_entry{.path = node_, .data = client_.identity()}, *this,
                        ask(action.what, action.entry));
  case kind::sync_and_list:
    // Before the entries: what replaces one of them shows in one of the two lists.
    if (path_->kind == lock_kind::semaphore) list_and_watch_permits();
    [[fallthrough]];
  case kind::list:
    return session.send(zookeeper::list{.path = path()}, *this, ask(kind::list));
  case kind::check:
    return send_checks(action);
  case kind::remove:
    if (!action.checks.empty()) return send_checks(action);
    return session.send(zookeeper::remove{.path = node_of(action)}, *this,
                        ask(action.what, action.entry));
  case kind::remove_stray:
  case kind::remove_stray_permit:
    return remove_stray(action);
  case kind::inspect:
    // Unlike reading it, this is denied to nobody.
    return session.send(zookeeper::exists{.path = node_of(action)}, *this,
                        ask(action.what, action.entry));
  case kind::watch:
    watches_asked_.push_back(action.name);
    return get_and_watch(path() + '/' + action.name, ask(action.what));
  case kind::watch_directory:
    return get_and_watch(path(), ask(action.what));
  case kind::downgrade:
    return send_downgrade(action);
  case kind::take:
    return send_take(action);
  case kind::give_back:
    return give_back(action);
  case kind::list_permits:
    return list_and_watch_permits();
  case kind::inspect_permit:
    return session.send(zookeeper::exists{.path = permit_of(action, 0)}, *this,
                        ask(action.what, action.entry));
  case kind::ask_limit:
    return get_and_watch(path_->limit_node, ask(action.what));
  case kind::confirm: {
    const std::array<std::string, 1> paths{action.permits != 0 ? permit_of(action, 0)
                                                               : node_of(action)};
    return session.send(zookeeper::check{.paths = paths}, *this, ask(action.what, action.entry));
  }
  default:
    return;
  }
}

void directory::tell(const queue::action& action) {
  const auto it = acquisitions_.find(action.acquisition);
  if (it == acquisitions_.end()) return;
  const auto c = it->second;
  if (action.what == kind::grant) {
    client_.granted(*c);
    return c->grant(fencing_token(action.czxid, action.turn),
                    {.session = client_.token(),
                     .entry = action.entry,
                     .label = policy_.label(action.wants),
                     .number = action.number,
                     .permits = action.permits},
                    take_told(action.entry));
  }
  if (action.what == kind::downgraded) return c->downgraded(to_error(action.why));
  acquisitions_.erase(it);
  note_told(*c);
  if (c->owner() != 0) forget_owner(*c);
  deadlines::remove(*c);
  if (action.what == kind::refuse) {
    log_too_many(*c, action.why);
    c->refuse(to_error(action.why));
  } else if (action.what == kind::lose) {
    c->lose(to_error(action.why));
  }
  c->forget(action.what == kind::forget ? to_error(action.why) : error_code{});
}

// The next that holds by the same entry is not asked for what this one was asked for.
void directory::note_told(const acquisition& c) {
  std::erase_if(told_, [this](const auto& each) { return !queue_.entries().contains(each.first); });
  if (c.requests_until() != 0 && queue_.entries().contains(c.entry()))
    told_[c.entry()] = c.requests_until();
}

std::int32_t directory::take_told(queue::entry_id id) {
  const auto noted = told_.extract(id);
  return noted ? noted.mapped() : 0;
}

void directory::forget_owner(const acquisition& c) {
  const auto it = owners_.find(c.owner());
  if (it != owners_.end() && it->second.lock().get() == &c) owners_.erase(it);
}

} // namespace zklock::detail
