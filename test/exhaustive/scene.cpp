// The possible events of a state, and their effects.

#include "scene.hpp"

#include "failure.hpp"

#include <algorithm>
#include <iterator>

namespace exhaustive {

using simulation::fail;
using simulation::text;

namespace {

simulation::plan plan_of(const bounds& bounds) {
  simulation::plan plan(bounds.kind);
  plan.clients = bounds.clients;
  plan.foreign_clients = bounds.foreign_clients;
  plan.callers = bounds.waiters;
  plan.window = bounds.window;
  plan.handoffs = bounds.handoffs;
  plan.caching = bounds.caching;
  plan.outside_percent = bounds.fast ? 100 : 0;
  plan.limit = bounds.limit;
  return plan;
}

std::size_t index(step what) noexcept {
  return static_cast<std::size_t>(what);
}

} // namespace

scene::scene(const exhaustive::bounds& of, bool traced)
    : bounds_(of), history_(plan_of(of), traced), doubts_(of.doubts) {
  left_[index(step::give_up)] = of.give_ups;
  left_[index(step::downgrade)] = of.downgrades;
  left_[index(step::cut)] = of.cuts;
  left_[index(step::expire)] = of.expiries;
  left_[index(step::delete_by_hand)] = of.deletions;
  left_[index(step::reap)] = of.reaps;
  left_[index(step::check_entry)] = of.checks;
  left_[index(step::foreign_start)] = of.foreign_acquires;
  left_[index(step::foreign_crash)] = of.foreign_crashes;
  for (auto& own : own_left_) {
    own[index(step::acquire)] = of.acquires;
    own[index(step::acquire_to_read)] = of.reads;
    own[index(step::acquire_two)] = of.pairs;
    own[index(step::try_acquire)] = of.tries;
  }
  auto& world = history_.world();
  world.ensemble.start_with_limit(0, of.limit);
  if (of.is_made)
    for (std::size_t i = 0; i < world.ensemble.truth().directories(); ++i)
      world.ensemble.found(i, 0);
  for (auto& client : history_.clients())
    client.connect(0);
}

std::uint8_t& scene::left(const event& what) noexcept {
  return what.what <= last_of_a_client ? own_left_[what.client][index(what.what)]
                                       : left_[index(what.what)];
}

void scene::list_events(std::vector<event>& to) const {
  to.clear();
  const auto clients = static_cast<std::uint8_t>(history_.clients().size());
  const auto foreign = static_cast<std::uint8_t>(history_.foreign_clients().size());
  for (std::uint8_t i = 0; i < clients; ++i) {
    list_network(to, i);
    list_calls(to, i);
  }
  for (std::uint8_t i = 0; i < foreign; ++i)
    list_foreign(to, i);
  const auto& truth = history_.world().ensemble.truth();
  const auto& there = truth.at(0);
  // A Curator client takes a permit although its entry was deleted.
  const bool ours_only = bounds_.kind == simulation::lock_kind::counted;
  if (may(step::delete_by_hand))
    for (std::size_t i = 0; i < there.children.size(); ++i)
      if (!ours_only || history_.world().ensemble.at(there.children[i]).entry != 0)
        to.push_back({.what = step::delete_by_hand, .which = static_cast<std::uint8_t>(i)});
  if (may(step::reap) && there.exists && there.children.empty() && there.children_ever != 0)
    to.push_back({.what = step::reap});
}

void scene::list_calls(std::vector<event>& to, std::uint8_t number) const {
  const auto& attempts = history_.clients()[number].attempts(0);
  if (attempts.size() < bounds_.waiters)
    for (const auto what :
         {step::acquire, step::acquire_to_read, step::acquire_two, step::try_acquire})
      if (may(what, number)) to.push_back({.what = what, .client = number});
  std::uint8_t which = 0;
  for (const auto& [id, attempt] : attempts) {
    const event one{.client = number, .which = which++};
    const auto add = [&](step what) {
      to.push_back({.what = what, .client = one.client, .which = one.which});
    };
    if (attempt.waits() && may(step::give_up)) add(step::give_up);
    if (attempt.held && attempt.wants_something()) add(step::release);
    if (attempt.may_downgrade() && may(step::downgrade)) add(step::downgrade);
  }
}

void scene::list_network(std::vector<event>& to, std::uint8_t number) const {
  const auto& client = history_.clients()[number];
  const auto& connection = client.connection();
  const auto arriving = static_cast<std::uint8_t>(connection.received.size());
  if (!connection.sent.empty()) to.push_back({.what = step::take, .client = number});
  if (!client.connected()) {
    to.push_back({.what = step::connect, .client = number});
  } else if (arriving != 0) {
    to.push_back({.what = step::deliver, .client = number});
  } else if (!connection.up) {
    to.push_back({.what = step::notice, .client = number});
  }
  const bool lives = history_.world().ensemble.lives(client.session());
  // The loss of a connection has decided which messages still arrive.
  for (std::uint8_t i = connection.up ? 0 : arriving; i <= arriving; ++i) {
    if (may(step::cut) && client.connected() && connection.up)
      to.push_back({.what = step::cut, .client = number, .which = i});
    if (may(step::expire) && lives)
      to.push_back({.what = step::expire, .client = number, .which = i});
  }
  if (may(step::check_entry) && client.connected())
    to.push_back({.what = step::check_entry, .client = number});
}

void scene::list_foreign(std::vector<event>& to, std::uint8_t number) const {
  const auto& other = history_.foreign_clients()[number];
  const auto add = [&](step what) { to.push_back({.what = what, .client = number}); };
  const bool lives = history_.world().ensemble.lives(other.session());
  if (!other.connection().sent.empty())
    to.push_back({.what = step::take,
                  .client = static_cast<std::uint8_t>(history_.clients().size() + number)});
  if (other.dead()) {
    if (lives) add(step::foreign_expire);
    if (!lives && may(step::foreign_start)) add(step::foreign_start);
    return;
  }
  if (!other.connection().received.empty()) add(step::foreign_deliver);
  if (other.idle() && may(step::foreign_start)) add(step::foreign_start);
  if (other.holds()) add(step::foreign_finish);
  if (may(step::foreign_crash)) add(step::foreign_crash);
}

bool scene::happen(const event& what) {
  auto& world = history_.world();
  world.trace("* ", to_string(what));
  const held before = holds();
  if (what.what <= last_bounded) --left(what);
  doubts_ = static_cast<std::uint8_t>(doubts_ - what.unproven);
  world.plan.unproven_percent = what.unproven ? 100 : 0;
  carry_out(what);
  world.plan.unproven_percent = 0;
  world.rethrow();
  const held after = holds();
  return !std::includes(before.begin(), before.end(), after.begin(), after.end());
}

scene::held scene::holds() const {
  held all;
  for (std::size_t i = 0; i < history_.clients().size(); ++i)
    for (const auto& [id, attempt] : history_.clients()[i].attempts(0))
      if (attempt.held && attempt.wants_something()) all.emplace_back(i, id);
  return all;
}

void scene::carry_out(const event& what) {
  auto& ensemble = history_.world().ensemble;
  if (what.what == step::take) {
    ensemble.take(ensemble.connections()[what.client]);
    return;
  }
  if (what.what == step::delete_by_hand)
    return ensemble.delete_by_hand(ensemble.truth().at(0).children[what.which]);
  if (what.what == step::reap) {
    history_.reap(0);
    return;
  }
  if (what.what >= step::foreign_deliver || what.what == step::foreign_start ||
      what.what == step::foreign_crash)
    return carry_out_foreign(what);
  auto& client = history_.clients()[what.client];
  const auto id = [&] { return std::next(client.attempts(0).begin(), what.which)->first; };
  switch (what.what) {
  case step::give_up:
  case step::release:
    return client.release(0, id());
  case step::downgrade:
    return client.downgrade(0, id());
  case step::cut:
  case step::expire:
    return lose(what);
  case step::check_entry:
    return client.check_entry(0);
  case step::deliver:
    client.deliver();
    return;
  case step::notice:
    return client.lose_connection();
  case step::connect:
    client.connect(0);
    return;
  default:
    return acquire(what);
  }
}

void scene::acquire(const event& what) {
  const auto wants =
      what.what == step::acquire_to_read ? simulation::role::shared : simulation::role::exclusive;
  const std::uint32_t permits = what.what == step::acquire_two ? 2 : 1;
  history_.clients()[what.client].acquire(0, {.wants = wants, .permits = permits},
                                          what.what == step::try_acquire);
}

// The dice let all arrive that is under way then.
void scene::lose(const event& what) {
  auto& ensemble = history_.world().ensemble;
  auto& client = history_.clients()[what.client];
  if (client.connection().up) client.connection().received.resize(what.which);
  if (what.what == step::cut)
    ensemble.cut(client.connection());
  else
    ensemble.end_session(client.session());
}

void scene::carry_out_foreign(const event& what) {
  auto& other = history_.foreign_clients()[what.client];
  switch (what.what) {
  case step::foreign_start:
    other.revive(0);
    return other.start(0);
  case step::foreign_crash:
    return other.crash();
  case step::foreign_finish:
    return other.finish();
  case step::foreign_expire:
    return history_.world().ensemble.end_session(other.session());
  default:
    other.deliver();
    return;
  }
}

} // namespace exhaustive
