#include "client/directory.hpp"

#include "client/client_state.hpp"

#include <new>
#include <utility>

namespace zklock::detail {

using kind = queue::action::kind;
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
  default:
    return answer::failed;
  }
}

} // namespace

directory::directory(client_state& client, std::shared_ptr<const lock_definition> path,
                     const queue::settings& settings, queue::node_budget& budget,
                     std::pmr::memory_resource* memory)
    : client_(client),
      path_(std::move(path)),
      policy_(settings.policy),
      queue_(settings, budget, memory),
      entry_bytes_(settings.entry_bytes),
      most_permits_(settings.most_permits),
      acquisitions_(memory),
      parents_(path_->line, path_->full.size() - path_->given.size()) {
  // Giving back needs as much, and must not find that there is no memory left.
  node_.reserve(path_->line.size() + entry_name_bytes);
}

queue::event_context directory::next_context() noexcept {
  return {.proven = client_.proven(), .last_entry = client_.last_entry(), .actions = actions_};
}

void directory::start(const std::shared_ptr<acquisition>& c) {
  acquisitions_.emplace(c->id, c);
  if (c->more() && c->more()->queued) curious_.push_back(c);
  feed([&](queue::event_context& context) {
    queue_.acquire(context, c->id, c->wanted(), c->trying);
  });
}

void directory::release(const acquisition& c) {
  feed([&](queue::event_context& context) { queue_.release(context, c.id); });
}

void directory::downgrade(const acquisition& c) {
  feed([&](queue::event_context& context) { queue_.downgrade(context, c.id); });
}

directory::sharing directory::share(const std::shared_ptr<acquisition>& c) {
  const auto known = owners_[c->owner()].lock();
  if (known && known->current() == acquisition::phase::held) {
    const auto held = known->held();
    const auto wanted = c->wanted();
    const bool enough = (held.wants == wanted.wants || held.wants == queue::role::exclusive) &&
                        wanted.permits <= held.permits;
    if (!enough) {
      c->refuse(errc::upgrade_refused);
    } else if (!client_.proven()) {
      feed([&](queue::event_context& context) { queue_.prove(context, known->id); });
      return sharing::unproven;
    } else {
      c->grant_shared(known);
    }
    return sharing::done;
  }
  if (known && known->current() == acquisition::phase::waiting) {
    c->refuse(errc::owner_busy);
    return sharing::done;
  }
  owners_[c->owner()] = c;
  return sharing::none;
}

bool directory::is_for(const lock_definition& path) const noexcept {
  return path.kind == path_->kind && path.limit == path_->limit &&
         path.limit_node == path_->limit_node;
}

void directory::refill() {
  feed([&](queue::event_context& context) { queue_.refill(context); });
}

bool directory::make_room(bool for_rest) {
  bool made = false;
  feed([&](queue::event_context& context) { made = queue_.make_room(context, for_rest); });
  return made;
}

void directory::try_again() {
  feed([&](queue::event_context& context) { queue_.try_again(context); });
}

void directory::connected() {
  feed([&](queue::event_context& context) { queue_.connected(context, client_.token()); });
}

void directory::disconnected() {
  unanswered_ = 0;
  stalled_ = false;
  watches_asked_.clear();
  checks_asked_.clear();
  leaving_.clear();
  strays_asked_.clear();
  queue_.disconnected();
}

void directory::expired() {
  feed([&](queue::event_context& context) { queue_.expired(context); });
}

void directory::confirmed() {
  feed([&](queue::event_context& context) { queue_.confirmed(context); });
}

void directory::entry_changed(std::string_view name, bool deleted) {
  feed([&](queue::event_context& context) { queue_.entry_changed(context, name, deleted); });
}

void directory::directory_changed(bool deleted) {
  if (deleted) made_.reset(made_line);
  feed([&](queue::event_context& context) { queue_.directory_changed(context, deleted); });
}

void directory::watch_fired(std::string_view path, zookeeper::watch_event event) {
  if (path_->kind != lock_kind::semaphore) return;
  using zookeeper::watch_event;
  if (path == path_->permits && event != watch_event::node)
    feed([&](queue::event_context& context) { queue_.permits_changed(context); });
  if (path == path_->limit_node && event != watch_event::children)
    feed([&](queue::event_context& context) { queue_.limit_changed(context); });
}

void directory::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  --unanswered_;
  log_failure(static_cast<kind>(tag.what), reply);
  watch_answered(tag, reply.result);
  handle(tag, reply);
}

// What is sent again and fails again is told once.
void directory::log_failure(kind what, const zookeeper::reply& reply) {
  if (reply.result == zookeeper::status::failed) {
    if (std::exchange(told_failure_, what) == what) return;
    client_.log(log_level::error, path() + ": refused: " + std::string(reply.detail));
  } else if (told_failure_ == what) {
    told_failure_.reset();
  }
}

void directory::handle(zookeeper::request_tag tag, const zookeeper::reply& reply) {
  const auto result = to_answer(reply.result);
  const auto id = tag.which;
  switch (static_cast<kind>(tag.what)) {
  case kind::make_parents:
    return make_parents(reply.result);
  case kind::make_directory:
    // Whether it could be made shows elsewhere.
    note_made(id, reply.result);
    return client_.settle(*this);
  case kind::create: {
    if (result == answer::no_node) made_.reset();
    const auto parsed = queue::parse_entry_name(name_of(reply.path));
    return feed([&](queue::event_context& context) {
      queue_.created(context, id, result, parsed ? parsed->number : -1, reply.czxid);
    });
  }
  case kind::list:
    return feed([&](queue::event_context& context) {
      queue_.listed(context, result, reply.children, reply.children_ever);
    });
  case kind::remove:
    return removed(id, result);
  case kind::remove_stray:
    return stray_removed(result);
  case kind::inspect:
  case kind::inspect_permit:
    return feed(
        [&](queue::event_context& context) { queue_.inspected(context, id, result, reply.czxid); });
  case kind::watch: {
    const auto name = std::move(watches_asked_.front());
    watches_asked_.pop_front();
    return feed([&](queue::event_context& context) { queue_.watched(context, name, result); });
  }
  case kind::watch_directory:
    return feed([&](queue::event_context& context) { queue_.directory_watched(context, result); });
  case kind::confirm:
    if (result == answer::no_node) {
      const auto it = queue_.entries().find(id);
      if (it != queue_.entries().end()) missing(id, it->second.node());
    }
    client_.checks().when_proven(*this);
    return client_.settle(*this);
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
    // Whether the directory could be made shows elsewhere.
    return client_.settle(*this);
  }
}

// Actions may lead to events that lead to further actions: they are carried out in order, never
// one inside another.
void directory::carry_out() {
  if (std::exchange(carrying_out_, true)) return;
  for (std::size_t i = 0; i < actions_.size(); ++i)
    carry_out(queue::action(std::move(actions_[i])));
  actions_.clear();
  carrying_out_ = false;
  if (!curious_.empty()) tell_places();
  client_.settle(*this);
}

void directory::carry_out(const queue::action& action) {
  if (action.what >= kind::grant)
    tell(action);
  else
    send(action);
}

// Where memory does not suffice for a request, those that follow must not be made either. A list
// behind the next connection settles what was to be done, as after any connection that was lost.
void directory::send(const queue::action& action) noexcept {
  if (stalled_) return;
  try {
    request(action);
  } catch (const std::bad_alloc&) {
    stalled_ = true;
    client_.session().give_up_connection();
  }
}

void directory::note_made(std::size_t which, zookeeper::status result) noexcept {
  if (result == zookeeper::status::ok && client_.containers()) made_.set(which);
}

void directory::make_parents(zookeeper::status result) {
  if (const auto asked = parents_.next(); asked == path())
    note_made(made_line, result);
  else if (asked == path_->full)
    note_made(made_full, result);
  if (parents_.answered(result)) {
    client_.session().send(
        zookeeper::create_directory{.path = parents_.next(), .container = client_.containers()},
        *this, ask(kind::make_parents));
    return;
  }
  const auto made = result == zookeeper::status::node_exists ? answer::ok : to_answer(result);
  // What is missing beside it shows when it is used.
  if (made == answer::ok && path_->kind == lock_kind::semaphore)
    client_.session().send(
        zookeeper::create_directory{.path = path_->permits, .container = client_.containers()},
        *this, ask(kind::make_directory, made_permits));
  feed([&](queue::event_context& context) { queue_.directory_made(context, made); });
}

// Who is still waiting when his place is known is told it.
void directory::tell_places() {
  const auto curious = std::exchange(curious_, {});
  for (const auto& c : curious) {
    if (c->current() != acquisition::phase::waiting) continue;
    if (const auto place = queue_.place_of(c->id))
      client_.call([&] { std::exchange(c->more()->queued, nullptr)(*place); });
    else
      curious_.push_back(c);
  }
}

} // namespace zklock::detail
