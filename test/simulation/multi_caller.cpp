#include "multi_caller.hpp"

#include "failure.hpp"

#include <algorithm>

namespace simulation {

multi_caller::multi_caller(world& world, client& client, std::size_t number)
    : world_(world), client_(client), name_(text("multi-caller ", number)), room_(client, number) {}

void multi_caller::act() {
  if (idle()) return start();
  // Its deadline may pass at any time, but mostly it is far away.
  if (world_.dice.chance(holds_ ? 40 : 15)) finish();
}

// Callers name the directories in orders that would make a cycle if the locks were acquired in that
// order.
void multi_caller::start() {
  const auto directories = world_.plan.directories;
  const auto first = world_.dice.below(directories);
  const auto count = world_.dice.between(2, directories);
  for (std::size_t i = 0; i < count; ++i)
    wanted_.push_back({(first + i) % directories, world_.possible_demand()});
  std::sort(wanted_.begin(), wanted_.end(),
            [](const wanted_lock& a, const wanted_lock& b) { return a.directory < b.directory; });
  world_.trace(name_, " wants ", count, " locks");
  ask_for_room();
}

void multi_caller::finish() {
  world_.trace(name_, holds_ ? " releases all" : " gives up");
  if (!holds_ && acquisitions_.size() > 1) world_.statistics.count(seen::multi_given_up);
  release();
  wanted_.clear();
  room_.let_go();
}

// A hold lost while later locks are waited for shows once all are granted. A caller that is refused
// tries again: the fault may be over.
bool multi_caller::look() {
  if (idle() || room_.is_waiting()) return false;
  if (acquisitions_.empty()) {
    acquire_next();
    return true;
  }
  if (holds_) {
    if (all_held()) return false;
    world_.trace(name_, " has lost one of its locks");
    world_.statistics.count(seen::multi_lost);
    finish();
    return true;
  }
  const attempt* const last = find(acquisitions_.size() - 1);
  if (last && !last->held) return false;
  if (last && acquisitions_.size() != wanted_.size()) {
    acquire_next();
    return true;
  }
  if (all_held()) {
    world_.trace(name_, " holds all its locks");
    world_.statistics.count(seen::multi_held);
    holds_ = true;
    return true;
  }
  world_.trace(name_, " begins anew");
  world_.statistics.count(seen::multi_begun_anew);
  release();
  room_.let_go();
  ask_for_room();
  return true;
}

void multi_caller::check() const {
  std::size_t wanted = 0;
  std::size_t held = 0;
  for (std::size_t i = 0; i < client_.directories(); ++i)
    for (const auto& [id, attempt] : client_.attempts(i)) {
      const bool ours = attempt.caller == room_.number();
      wanted += ours && attempt.wants_something();
      held += ours && attempt.wants_something() && attempt.held;
    }
  if (wanted > acquisitions_.size())
    fail(name_, " has left ", wanted, " of its acquisitions without a caller");
  if (holds_ && held != wanted_.size())
    fail(name_, " is said to hold, but has ", held, " of ", wanted_.size(), " locks");
}

// Null once it is refused or lost.
const attempt* multi_caller::find(std::size_t index) const noexcept {
  const auto& attempts = client_.attempts(wanted_[index].directory);
  const auto it = attempts.find(acquisitions_[index]);
  return it == attempts.end() ? nullptr : &it->second;
}

bool multi_caller::all_held() const noexcept {
  std::size_t held = 0;
  for (std::size_t i = 0; i < acquisitions_.size(); ++i) {
    const attempt* const one = find(i);
    held += one && one->held;
  }
  return held == wanted_.size();
}

void multi_caller::acquire_next() {
  auto [directory, asked] = wanted_[acquisitions_.size()];
  asked.has_room = true;
  acquisitions_.push_back(client_.acquire(directory, asked, false, &room_));
}

void multi_caller::ask_for_room() {
  std::size_t nodes = 0;
  for (const auto& each : wanted_)
    nodes += each.asked.permits;
  room_.ask(nodes);
}

void multi_caller::release() {
  for (std::size_t i = 0; i < acquisitions_.size(); ++i)
    if (find(i)) client_.release(wanted_[i].directory, acquisitions_[i]);
  acquisitions_.clear();
  holds_ = false;
}

} // namespace simulation
