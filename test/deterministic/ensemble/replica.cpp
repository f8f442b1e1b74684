#include "replica.hpp"

#include <utility>

namespace deterministic::servers {

replica::replica(environment with)
    : environment_(with),
      member_{.id = with.id,
              .on = with.on,
              .dice = with.dice,
              .options = with.options,
              .network = with.network,
              .facts = with.facts,
              .look = [this](const std::string& why) { look(why); }},
      garbage_(with.dice) {
  with.network.listen(with.id, [this](const auto& link, const message& first) {
    if (const auto* leads = std::get_if<std::shared_ptr<leader>>(&role_))
      (*leads)->accept(link, first);
    else
      link->close(environment_.id);
  });
}

role replica::state() const noexcept {
  constexpr role states[] = {role::down, role::looking, role::following, role::leading};
  return states[role_.index()];
}

std::int64_t replica::leading_epoch() const noexcept {
  const auto* leads = std::get_if<std::shared_ptr<leader>>(&role_);
  return leads != nullptr && (*leads)->is_established() ? (*leads)->epoch() : 0;
}

void replica::propose(memory::write_request what) {
  if (leading_epoch() != 0) std::get<std::shared_ptr<leader>>(role_)->propose(std::move(what));
}

void replica::trace(const std::string& what) const {
  if (environment_.facts.is_traced())
    environment_.facts.trace("replica " + std::to_string(environment_.id) + " " + what);
}

// ---- The process.

void replica::start() {
  if (state() != role::down) return;
  environment_.on.start();
  environment_.network.switch_on(environment_.id);
  for (const auto& [number, each] : std::exchange(*connections_, {}))
    each->reset();
  trace("starts");
  elect();
}

void replica::crash(bool loses_power) {
  if (state() == role::down) return;
  trace(loses_power ? "loses its power" : "crashes");
  if (loses_power) {
    environment_.network.switch_off(environment_.id);
    for (const auto& [number, each] : *connections_)
      each->fall_silent();
  } else {
    // The kernel resets a connection with unread bytes, and closes any other connection.
    for (const auto& [number, each] : std::exchange(*connections_, {}))
      if (environment_.dice.chance(50))
        each->close();
      else
        each->reset();
  }
  retire();
  member_.disk.crash(member_.data.last);
  environment_.on.crash();
}

// The last transaction gives the epochs, as if their files were not restored.
void replica::restore(const database& data) {
  member_.data = data;
  member_.disk.restart(data.last);
  member_.accepted_epoch = member_.current_epoch = epoch_of(data.last);
}

void replica::slow(time_point most) {
  slow_ = most;
  member_.disk.slow(most);
}

// ---- The role.

// Its own functions may be on the stack.
void replica::retire() {
  if (auto* follows = std::get_if<std::shared_ptr<follower>>(&role_)) (*follows)->stop();
  if (auto* leads = std::get_if<std::shared_ptr<leader>>(&role_)) (*leads)->stop();
  if (member_.service) member_.service->stop();
  environment_.on.after(time_point::zero(), [role = std::exchange(role_, {}),
                                             service = std::exchange(member_.service, nullptr)] {});
}

void replica::look(const std::string& why) {
  trace("looks for a leader: " + why);
  retire();
  member_.disk.settle();
  elect();
}

void replica::elect() {
  role_ = std::make_shared<election>(
      election::environment{environment_.on, environment_.dice, environment_.id, environment_.tell,
                            [this](int leader, std::uint64_t round) { elected(leader, round); }},
      ++round_, vote{member_.current_epoch, member_.disk.log().last(), environment_.id});
}

void replica::elected(int leader, std::uint64_t round) {
  retire();
  round_ = round;
  follows_ = leader;
  if (leader == environment_.id)
    role_ = std::make_shared<servers::leader>(member_);
  else
    role_ = std::make_shared<follower>(member_, leader);
}

void replica::receive(const notification& from) {
  if (auto* looks = std::get_if<std::shared_ptr<election>>(&role_)) {
    // It may retire itself.
    const auto receiver = *looks;
    receiver->receive(from);
  } else if (from.state == role::looking) {
    environment_.tell({environment_.id, state(), round_, {.leader = follows_}});
  }
}

} // namespace deterministic::servers
