#include "client/lock_driver.hpp"

#include "client/node_path.hpp"

#include <utility>

namespace zklock::detail {

lock_driver::lock_driver(requester& by, lock_listener& to,
                         std::shared_ptr<const lock_definition> lock,
                         const queue::settings& settings, queue::node_budget& budget)
    : requester_(by),
      listener_(to),
      lock_(std::move(lock)),
      queue_(settings, budget),
      requests_(by, *this, *lock_, queue_) {}

void lock_driver::serve() {
  feed([&](queue::event_context& context) { queue_.serve(context); });
}

void lock_driver::start_try(queue::demand_id id, queue::lock_mode asked) {
  feed([&](queue::event_context& context) { queue_.start_try(context, id, asked); });
}

void lock_driver::withdraw(queue::demand_id id) {
  feed([&](queue::event_context& context) { queue_.withdraw(context, id); });
}

void lock_driver::release(queue::entry_id held, bool may_cache) {
  feed([&](queue::event_context& context) { queue_.release(context, held, may_cache); });
}

void lock_driver::evict() {
  feed([&](queue::event_context& context) { queue_.evict(context); });
}

void lock_driver::downgrade(queue::entry_id held) {
  feed([&](queue::event_context& context) { queue_.downgrade(context, held); });
}

void lock_driver::set_identity(queue::entry_id held, const queue::identity_pointer& identity) {
  feed([&](queue::event_context& context) { queue_.set_identity(context, held, identity); });
}

void lock_driver::prove(queue::entry_id held) {
  feed([&](queue::event_context& context) { queue_.prove(context, held); });
}

void lock_driver::connected() {
  feed([&](queue::event_context& context) { queue_.connected(context, requester_.token()); });
}

void lock_driver::disconnected() {
  listener_.on_event();
  requests_.disconnected();
  queue_.disconnected();
}

void lock_driver::expired(queue::reason why) {
  feed([&](queue::event_context& context) { queue_.expired(context, why); });
}

void lock_driver::confirmed() {
  feed([&](queue::event_context& context) { queue_.events().confirmed(context); });
}

void lock_driver::entry_changed(std::string_view name, bool deleted) {
  feed([&](queue::event_context& context) {
    queue_.events().entry_changed(context, name, deleted);
  });
}

void lock_driver::directory_changed(bool deleted) {
  requests_.directory_changed(deleted);
  feed([&](queue::event_context& context) { queue_.events().directory_changed(context, deleted); });
}

void lock_driver::watch_fired(std::string_view path, zookeeper::watch_event event) {
  using zookeeper::watch_event;
  if (path == lock_->line && event == watch_event::children)
    return feed([&](queue::event_context& context) { queue_.events().children_changed(context); });
  if (!lock_->has_permits()) return;
  if (path == lock_->permits && event != watch_event::node)
    feed([&](queue::event_context& context) { queue_.events().permits_changed(context); });
  if (path == lock_->limit_node && event != watch_event::children)
    feed([&](queue::event_context& context) { queue_.events().limit_changed(context); });
}

void lock_driver::missing(queue::entry_id id, queue::form node) {
  feed([&](queue::event_context& context) { queue_.events().missing(context, id, node); });
}

// Permits are not granted again.
void lock_driver::release_requested(std::string_view node) {
  if (node.starts_with(lock_->line + '/')) entry_changed(name_of(node), false);
}

// The entry and the form of a node of ours, as its path tells.
std::optional<lock_driver::named_node> lock_driver::own_node(std::string_view path) const {
  const auto name = name_of(path);
  if (lock_->has_permits() && path.starts_with(lock_->permits + '/')) {
    const auto id = queue::parse_permit(name, requester_.token());
    if (!id) return std::nullopt;
    const auto it = queue_.entries().find(*id);
    const auto wants = it == queue_.entries().end() ? queue::role{} : it->second.wants;
    return named_node{*id, {.wants = wants, .is_permit = true}};
  }
  const auto parsed = queue::parse_entry_name(name);
  if (!parsed || !parsed->has_id || parsed->token != requester_.token()) return std::nullopt;
  return named_node{parsed->id, {.wants = policy_of(lock_->kind).seen_as(parsed->wants)}};
}

void lock_driver::node_gone(std::string_view gone) {
  if (const auto node = own_node(gone)) missing(node->entry, node->form);
}

bool lock_driver::accounts_for(std::string_view node) const {
  const auto own = own_node(node);
  return !own || queue_.accounts_for(own->entry, own->form, name_of(node));
}

void lock_driver::refill() {
  feed([&](queue::event_context& context) { queue_.refill(context); });
}

bool lock_driver::drop_surplus() {
  bool dropped = false;
  feed([&](queue::event_context& context) { dropped = queue_.drop_surplus(context); });
  return dropped;
}

void lock_driver::try_again() {
  feed([&](queue::event_context& context) { queue_.try_again(context); });
}

std::vector<lock_driver::named_node> lock_driver::collect(std::vector<std::string>& paths) const {
  std::vector<named_node> nodes;
  for (const auto& [id, e] : queue_.entries()) {
    if (e.number < 0 || e.is_leaving()) continue;
    const auto form = e.node();
    const std::uint32_t count = form.is_permit ? e.permits() : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto& path = paths.emplace_back();
      if (form.is_permit)
        append_permit_path(path, lock_->permits, requester_.token(), id, i);
      else
        append_entry_path(path, lock_->line, requester_.token(), id,
                          policy_of(lock_->kind).label(e.wants), e.number);
      nodes.push_back({id, form});
    }
  }
  return nodes;
}

queue::event_context lock_driver::begin_event() {
  listener_.on_event();
  return {
      .proven = requester_.proven(), .last_entry = requester_.last_entry(), .actions = actions_};
}

void lock_driver::on_reply(zookeeper::request_tag, const zookeeper::reply& reply) noexcept {
  const bool confirms = requests_.in_flight().front().action.what == kind::confirm;
  requests_.answered(reply, *this);
  if (confirms) requester_.when_proven(*this);
  carry_out();
}

void lock_driver::carry_out() {
  queue_.return_room();
  if (std::exchange(carrying_out_, true)) return;
  for (std::size_t i = 0; i < actions_.size(); ++i)
    carry_out(std::move(actions_[i]));
  actions_.clear();
  carrying_out_ = false;
  listener_.on_settled();
}

void lock_driver::carry_out(queue::action&& action) {
  switch (action.what) {
  case kind::grant:
    return listener_.on_granted(action.demand, {.session = requester_.token(),
                                                .entry = action.entry,
                                                .wants = action.wants,
                                                .number = action.number,
                                                .czxid = action.czxid,
                                                .turn = action.turn,
                                                .permits = action.permits,
                                                .is_misnamed = action.is_misnamed});
  case kind::downgraded:
    return listener_.on_downgraded(action.entry, action.why);
  case kind::refuse:
    return listener_.on_refused(action.demand, action.why);
  case kind::lose:
    return listener_.on_lost(action.entry, action.why);
  case kind::forget:
    return listener_.on_released(action.entry, action.why);
  default:
    return requests_.send(std::move(action));
  }
}

} // namespace zklock::detail
