#include "lock/directory.hpp"

#include "lock/client_state.hpp"

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

std::string_view name_in(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

} // namespace

directory::directory(client_state& client, std::shared_ptr<const lock_path> path,
                     const queue::rule& rule, const queue::settings& settings,
                     queue::budget& budget, std::pmr::memory_resource* memory)
    : client_(client),
      path_(std::move(path)),
      rule_(rule),
      queue_(rule, settings, budget, memory),
      claims_(memory),
      parents_(path_->full, path_->full.size() - path_->given.size()) {}

// Brings the queue an event and carries out what follows from it.
template <class Event>
void directory::feed(Event event) {
  event(queue::step{
      .proven = client_.proven(), .last_entry = client_.last_entry(), .actions = actions_});
  carry_out();
}

void directory::start(const std::shared_ptr<claim>& c) {
  claims_.emplace(c->id, c);
  feed([&](queue::step step) { queue_.acquire(step, c->id, queue::role::exclusive, c->trying); });
}

void directory::release(const claim& c) {
  feed([&](queue::step step) { queue_.release(step, c.id); });
}

void directory::refill() {
  feed([&](queue::step step) { queue_.refill(step); });
}

void directory::connected() {
  feed([&](queue::step step) { queue_.connected(step, client_.token()); });
}

void directory::disconnected() {
  unanswered_ = 0;
  watches_asked_.clear();
  queue_.disconnected();
}

void directory::expired() {
  feed([&](queue::step step) { queue_.expired(step); });
}

void directory::entry_changed(std::string_view name, bool deleted) {
  feed([&](queue::step step) { queue_.entry_changed(step, name, deleted); });
}

void directory::directory_changed(bool deleted) {
  feed([&](queue::step step) { queue_.directory_changed(step, deleted); });
}

void directory::missing(queue::entry_id id) {
  feed([&](queue::step step) { queue_.missing(step, id); });
}

void directory::collect(queue::entry_id last, std::vector<std::string>& paths,
                        std::vector<queue::entry_id>& ids) const {
  for (const auto& [number, e] : queue_.own()) {
    if (e->id > last) continue;
    append_entry_path(paths.emplace_back(), path(), client_.token(), e->id, rule_.label(e->wants),
                      number);
    ids.push_back(e->id);
  }
}

void directory::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  --unanswered_;
  if (reply.result == zookeeper::status::failed)
    client_.log(log_level::error, path() + ": refused: " + std::string(reply.detail));
  handle(tag, reply);
}

void directory::handle(zookeeper::request_tag tag, const zookeeper::reply& reply) {
  const auto result = to_answer(reply.result);
  const auto id = tag.which;
  switch (static_cast<kind>(tag.what)) {
  case kind::make_parents:
    return make_parents(reply.result);
  case kind::create: {
    const auto parsed = queue::parse_entry_name(name_in(reply.path));
    return feed([&](queue::step step) {
      queue_.created(step, id, result, parsed ? parsed->number : -1, reply.czxid);
    });
  }
  case kind::list:
    return feed([&](queue::step step) {
      queue_.listed(step, result, reply.children, reply.children_ever);
    });
  case kind::remove:
    return feed([&](queue::step step) { queue_.removed(step, id, result); });
  case kind::inspect:
    return feed([&](queue::step step) { queue_.inspected(step, id, result, reply.czxid); });
  case kind::watch: {
    const auto name = std::move(watches_asked_.front());
    watches_asked_.pop_front();
    return feed([&](queue::step step) { queue_.watched(step, name, result); });
  }
  case kind::watch_directory:
    return feed([&](queue::step step) { queue_.directory_watched(step, result); });
  case kind::confirm:
    if (result == answer::no_node) missing(id);
    return feed([&](queue::step step) { queue_.confirmed(step); });
  default:
    // Whether the directory could be made, or a stray entry deleted, shows elsewhere.
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
  client_.settle(*this);
}

void directory::carry_out(const queue::action& action) {
  if (action.what >= kind::grant)
    tell(action);
  else
    send(action);
}

void directory::make_parents(zookeeper::status result) {
  if (parents_.answered(result)) {
    client_.session().create_directory(parents_.next(), client_.containers(), *this,
                                       ask(kind::make_parents));
    return;
  }
  const auto made = result == zookeeper::status::node_exists ? answer::ok : to_answer(result);
  feed([&](queue::step step) { queue_.directory_made(step, made); });
}

} // namespace zklock::detail
