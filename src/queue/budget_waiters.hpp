#pragma once

#include "queue/node_budget.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace zklock::queue {

/// The locks that found the budget used up, in line for it. They are not overtaken: a lock that is
/// never idle would otherwise take again whatever it gives back. Only locks that have nothing, and
/// want little, go on meanwhile with what the budget lends.
///
/// A member is a queue with its surroundings: it has `starved`, `needs_room`, `room_needed`,
/// `may_borrow`, `refill` and `make_room`, and leaves the line before it ends.
template <class Member>
class budget_waiters {
 public:
  explicit budget_waiters(node_budget& budget) noexcept : budget_(budget) {}

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
    budget_.lend(std::none_of(line_.begin(), line_.end(),
                              [](const Member* each) { return each->may_borrow(); }));
    return !line_.empty() && (turn || budget_.left() > left_over_);
  }

  /// Gives those in line their turn. `any_of` calls its argument with each member, in line or not,
  /// until one call returns true, and returns whether one did.
  template <class AnyOf>
  void serve(AnyOf any_of) {
    cramped_ = false;
    while (!line_.empty()) {
      // A lock that has nothing goes first: those before it may wait for it.
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
      make_room(any_of);
      break;
    }
    lend();
    left_over_ = budget_.left();
  }

  void clear() noexcept { line_.clear(); }

 private:
  /// Room for locks that can give nothing back comes from entries that wait behind others of ours:
  /// they may wait for a lock whose holder waits for this very room. The first lock that can be
  /// helped is: those before it may wait for what it gives back in the end.
  template <class AnyOf>
  void make_room(AnyOf any_of) {
    for (Member* const needy : std::vector<Member*>(line_)) {
      if (!needy->needs_room()) continue;
      const room_need need = needy->room_needed();
      cramped_ = !needy->make_room({}) &&
                 !any_of([&](Member& each) { return &each != needy && each.make_room(need); });
      if (!cramped_) return;
    }
  }

  /// Lends to those in line that want little, in their order. Each that gets something leaves the
  /// line, or wants more, which is not lent.
  void lend() {
    const auto may_borrow = [](const Member* each) { return each->may_borrow(); };
    for (;;) {
      const auto next = std::find_if(line_.begin(), line_.end(), may_borrow);
      if (next == line_.end()) return;
      Member& member = **next;
      budget_.lend(true);
      member.refill();
      if (member.may_borrow()) return;
    }
  }

  node_budget& budget_;
  std::vector<Member*> line_;
  /// What was left when they were last served.
  std::size_t left_over_ = 0;
  /// No lock could make room yet for the first.
  bool cramped_ = false;
};

} // namespace zklock::queue
