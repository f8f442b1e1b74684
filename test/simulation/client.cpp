#include "client.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

using kind = action::kind;

client::our_lock::our_lock(client& of, std::size_t number)
    : owner(of),
      directory(number),
      queue(std::in_place, of.settings_, of.budget_),
      conduct(of.world_.ensemble, number, of.world_.permits_of(number), of.world_.plan) {}

client::client(world& world, std::size_t number)
    : world_(world),
      name_(text("client ", number)),
      connection_(world.ensemble.make_connection()),
      settings_{.window = world.plan.window,
                .look_ahead = world.plan.look_ahead,
                .entry_bytes = entry_bytes,
                .local_handoffs = world.plan.handoffs,
                .policy = world.policy,
                .limit = world.plan.limit_is_told ? std::optional<std::uint32_t>()
                                                  : std::optional(world.plan.limit)},
      budget_(world.plan.budget * entry_bytes, world.plan.lendable * entry_bytes) {
  for (std::size_t i = 0; i < world.plan.directories; ++i)
    locks_.emplace_back(*this, i);
}

// Only servers that still have the session can say so. Now and then nobody has asked them lately.
bool client::is_proven(bool confirmed) {
  return world_.ensemble.lives(session_) &&
         (confirmed || !world_.dice.chance(world_.plan.unproven_percent));
}

void client::carry_out(std::size_t directory, const std::vector<action>& actions, bool proven) {
  for (const auto& action : actions) {
    world_.trace(name_, " queue ", directory, ":   ", to_string(action.what), ' ',
                 action.acquisition == 0 ? "" : text("acquisition ", action.acquisition, ' '),
                 action.entry == 0 ? action.name : text("entry ", action.entry),
                 action.why == reason::none ? "" : text(' ', to_string(action.why)));
    locks_[directory].conduct.check(action, proven);
    carry_out(directory, action);
  }
  settle(locks_[directory]);
}

acquisition_id client::acquire(std::size_t directory, bool trying, bool is_part) {
  const acquisition_id id = ++last_acquisition_;
  const zklock::queue::lock_mode asked = world_.any_demand();
  world_.trace(name_, " queue ", directory, ": ", trying ? "try" : "acquire", ", acquisition ", id,
               asked.permits == 1 ? "" : text(", ", asked.permits, " permits"));
  locks_[directory].conduct.acquired(id, asked, trying, is_part);
  step(directory, [&](auto& queue, auto& context) { queue.acquire(context, id, asked, trying); });
  return id;
}

void client::release(std::size_t directory, acquisition_id id) {
  attempt* const found = locks_[directory].conduct.find(id);
  attempt& attempt = *found;
  world_.trace(name_, " queue ", directory, ": release acquisition ", id);
  if (attempt.held)
    world_.referee.end(attempt.node);
  else if (!connected_)
    world_.statistics.count(seen::given_up_disconnected);
  else
    world_.statistics.count(seen::given_up_waiting);
  locks_[directory].conduct.released(attempt);
  const bool was_held = attempt.held;
  handing_over_ = true;
  step(directory, [&](auto& queue, auto& context) {
    queue.release(context, id);
    for (const auto& action : context.actions)
      if (was_held && action.what == kind::grant)
        world_.statistics.count(seen::grant_without_request);
  });
  end_handing_over();
}

void client::downgrade(std::size_t directory, acquisition_id id) {
  world_.trace(name_, " queue ", directory, ": downgrade acquisition ", id);
  attempt& attempt = *locks_[directory].conduct.find(id);
  attempt.asked_to_read = attempt.downgrading = true;
  step(directory, [&](auto& queue, auto& context) { queue.downgrade(context, id); });
}

void client::forget(std::size_t directory) {
  our_lock& lock = locks_[directory];
  if (!lock.queue->empty() || lock.unanswered != 0) return;
  world_.trace(name_, " queue ", directory, ": forgotten");
  world_.statistics.count(seen::queue_forgotten);
  lock.queue.emplace(settings_, budget_);
  if (connected_)
    step(directory, [this](auto& queue, auto& context) { queue.connected(context, token_); });
}

void client::carry_out(std::size_t directory, const action& action) {
  switch (action.what) {
  case kind::make_directory:
    if (settings_.policy.holds_by_permits())
      send({.what = request::kind::make_directory, .directory = world_.permits_of(directory)});
    return send({.what = request::kind::make_directory, .directory = directory});
  case kind::make_parents:
    world_.statistics.count(seen::parents_made);
    return send({.what = request::kind::make_parents, .directory = directory});
  case kind::create: {
    std::string prefix;
    append_prefix(prefix, token_, action.entry, world_.policy.label(action.wants));
    send({.what = request::kind::create,
          .directory = directory,
          .name = std::move(prefix),
          .wants = action.wants,
          .entry = action.entry});
    return check_budget();
  }
  case kind::sync_and_list:
    world_.statistics.count(seen::recovery);
    // Before the entries: what replaces one of them shows in one of the two lists.
    if (settings_.policy.holds_by_permits())
      send({.what = request::kind::list_and_watch, .directory = world_.permits_of(directory)});
    return send({.what = request::kind::list, .directory = directory, .purpose = to_recover});
  case kind::list:
    world_.statistics.count(seen::list);
    return send({.what = request::kind::list, .directory = directory});
  case kind::remove:
    count_remove(*locks_[directory].conduct.find_place(action.entry));
    return send_checks({.what = request::kind::remove,
                        .directory = directory,
                        .name = entry_name(action.entry, action.wants, action.number),
                        .checked = action.checks,
                        .entry = action.entry});
  case kind::check:
    return send_checks(
        {.what = request::kind::check, .directory = directory, .checked = action.checks});
  case kind::remove_stray:
    world_.statistics.count(seen::stray);
    return remove_stray(directory, action.name);
  case kind::inspect:
    world_.statistics.count(seen::adoption);
    return send({.what = request::kind::exists,
                 .directory = directory,
                 .name = entry_name(action.entry, action.wants, action.number),
                 .entry = action.entry});
  case kind::watch:
    world_.statistics.count(seen::watch);
    return send({.what = request::kind::watch, .directory = directory, .name = action.name});
  case kind::watch_directory:
    return send({.what = request::kind::watch_directory, .directory = directory});
  case kind::confirm:
    world_.statistics.count(seen::confirmation);
    return send({.what = request::kind::check,
                 .directory = action.permits != 0 ? world_.permits_of(directory) : directory,
                 .name = action.permits != 0
                             ? permit_name(action.entry, 0)
                             : entry_name(action.entry, action.wants, action.number),
                 .wants = action.wants,
                 .entry = action.entry,
                 .purpose = to_confirm});
  case kind::downgrade:
    return send(replace_by_reader(directory, action));
  case kind::grant:
    return granted(directory, action);
  case kind::downgraded:
    world_.statistics.count(action.why == reason::none ? seen::downgraded : seen::not_downgraded);
    return;
  case kind::refuse:
    if (action.why == reason::busy) world_.statistics.count(seen::busy);
    if (action.why == reason::too_many_permits) world_.statistics.count(seen::too_many);
    if (action.why == reason::sequence_exhausted) world_.statistics.count(seen::exhausted);
    if (action.why == reason::no_permission || action.why == reason::failed)
      world_.statistics.count(seen::denied);
    locks_[directory].conduct.attempts().erase(action.acquisition);
    return;
  case kind::lose:
    world_.referee.end(locks_[directory].conduct.find(action.acquisition)->node);
    world_.statistics.count(action.why == reason::session_expired ? seen::lost_to_expiry
                                                                  : seen::lost_to_deletion);
    locks_[directory].conduct.attempts().erase(action.acquisition);
    return;
  case kind::forget:
    locks_[directory].conduct.attempts().erase(action.acquisition);
    return;
  case kind::take:
  case kind::give_back:
  case kind::remove_stray_permit:
  case kind::list_permits:
  case kind::inspect_permit:
  case kind::ask_limit:
    return carry_out_permits(directory, action);
  }
}

void client::count_remove(const place& place) {
  if (place.deletes > 1) world_.statistics.count(seen::delete_sent_again);
  if (place.holder != 0) return;
  world_.statistics.count(place.was_found ? seen::abandoned_adoption : seen::shed);
}

void client::granted(std::size_t directory, const action& action) {
  world_.statistics.count(action.turn == 0 ? seen::grant : seen::handed_over);
  note_robbed(directory, action);
  conduct& conduct = locks_[directory].conduct;
  if (settings_.policy.holds_by_permits()) {
    world_.referee.begin_permits(conduct.find(action.acquisition)->permits, world_.plan.limit);
    if (world_.referee.holders(world_.permits_of(directory)) > action.permits)
      world_.statistics.count(seen::holders_together);
    return;
  }
  world_.referee.begin(conduct.find(action.acquisition)->node, action.turn,
                       [&](entry_id id) { return conduct.stands(id); });
  if (world_.referee.holders(directory) > 1) world_.statistics.count(seen::readers_together);
}

request client::replace_by_reader(std::size_t directory, const action& action) const {
  return {.what = request::kind::downgrade,
          .directory = directory,
          .name = entry_name(action.entry, role::exclusive, action.number),
          .replacement = entry_name(action.entry, role::shared, action.number),
          .entry = action.entry};
}

std::string client::entry_name(entry_id id, role wants, sequence number) const {
  std::string result;
  append_prefix(result, token_, id, world_.policy.label(wants));
  zklock::queue::append_number(result, number);
  return result;
}

void client::remove_stray(std::size_t directory, const std::string& name) {
  const auto found = world_.ensemble.truth().find(directory, name);
  if (found != no_such_node) strays_.insert(found);
  send({.what = request::kind::remove, .directory = directory, .name = name});
}

void client::send(request request) {
  ++requests_;
  if (world_.plan.steady) world_.statistics.count(seen::steady_request);
  ++locks_[lock_of(request.directory)].unanswered;
  connection_.sent.push_back(std::move(request));
}

} // namespace simulation
