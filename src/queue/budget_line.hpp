#pragma once

#include "queue/budget.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace zklock::queue {

/// Those who found the budget used up, in line for it. Nobody overtakes them: a lock that is never
/// idle would otherwise take again whatever it gives back.
///
/// A member is a queue with its surroundings: it has `starved`, `needs_room`, `refill` and
/// `make_room`, and leaves the line before it ends.
template <class Member>
class budget_line {
 public:
  explicit budget_line(budget& budget) noexcept : budget_(budget) {}

  /// Called after each event of a member. Returns whether `serve` is to be called, once the event
  /// is done with.
  bool settle(Member& member) {
    if (line_.empty() && !member.starved()) return false;
    const auto place = std::find(line_.begin(), line_.end(), &member);
    // The first may be able to take now what it could not before.
    const bool turn = cramped_ || member.needs_room() || (place == line_.begin() && !line_.empty());
    if (member.starved() && place == line_.end()) {
      if (line_.empty()) left_over_ = budget_.left();
      line_.push_back(&member);
    } else if (!member.starved() && place != line_.end()) {
      line_.erase(place);
    }
    budget_.close(!line_.empty());
    return !line_.empty() && (turn || budget_.left() > left_over_);
  }

  /// Gives those in line their turn. `any_of` tells whether what it is called with returns true for
  /// any member, in line or not.
  template <class AnyOf>
  void serve(AnyOf any_of) {
    cramped_ = false;
    while (!line_.empty()) {
      // Who has nothing goes first, lest he wait behind those who wait for him.
      const auto needy = std::find_if(line_.begin(), line_.end(),
                                      [](const Member* each) { return each->needs_room(); });
      if (needy != line_.end()) std::rotate(line_.begin(), needy, std::next(needy));
      Member& first = *line_.front();
      const auto before = budget_.left();
      line_.erase(line_.begin());
      budget_.close(false);
      // Where it needs more it gets in line again.
      first.refill();
      if (!first.starved() || budget_.left() != before) continue;
      // It got nothing, and keeps its place.
      std::rotate(line_.begin(), std::prev(line_.end()), line_.end());
      // Room for one who can give nothing back himself comes from those who wait behind others of
      // ours: they may wait for a lock whose holder waits for this very room.
      if (first.needs_room() && !first.make_room())
        cramped_ = !any_of([](Member& each) { return each.make_room(); });
      break;
    }
    left_over_ = budget_.left();
  }

  void clear() noexcept { line_.clear(); }

 private:
  budget& budget_;
  std::vector<Member*> line_;
  /// What was left when they were last served.
  std::size_t left_over_ = 0;
  /// Nobody could make room yet for the first.
  bool cramped_ = false;
};

} // namespace zklock::queue
