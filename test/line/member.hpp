#pragma once

#include "client/line_member.hpp"
#include "client/lock_line.hpp"

#include <atomic>
#include <memory>

namespace zklock::test {

/// What an acquisition asks for, and how its client is.
struct wish {
  queue::role wants = queue::role::exclusive;
  bool is_plain = true;
  bool is_proven = true;
};

/// An acquisition that notes what its line tells of it.
class member final : public detail::line_member, public std::enable_shared_from_this<member> {
 public:
  enum class state { waiting, held, ended, refused };

  explicit member(wish asked = {})
      : line_member({.wants = asked.wants}, asked.is_plain), is_proven_(asked.is_proven) {}

  std::shared_ptr<line_member> shared() noexcept override { return shared_from_this(); }
  bool is_proven() const noexcept override { return is_proven_; }
  void granted_fast(const detail::grant& by, time_point) noexcept override { turn = by.turn; }
  void complete_fast() override { set(state::held); }
  void ended_fast(time_point) noexcept override { set(state::ended); }
  void counts_in(detail::lock_counters&) noexcept override { ++counted; }
  bool take_room() override { return false; }
  void granted(const detail::grant& by) override {
    turn = by.turn;
    set(state::held);
  }
  void downgraded(queue::reason) override {}
  void refused(queue::reason) override { set(state::refused); }
  void lost(queue::reason) override { set(state::ended); }
  void forgotten(queue::reason) override { set(state::ended); }

  state now() const noexcept { return state_.load(); }
  state wait_while(state is) const noexcept {
    state_.wait(is);
    return state_.load();
  }

  /// The turn by which it holds, or has held.
  std::uint32_t turn = 0;
  /// How often it was counted as a waiter.
  int counted = 0;

 private:
  void set(state next) noexcept {
    state_.store(next);
    state_.notify_all();
  }

  const bool is_proven_;
  std::atomic<state> state_{state::waiting};
};

/// An entry to open a line for, with the next turn, and the first turn that is not granted.
inline detail::lock_line::offer offer_of(std::uint32_t turn = 0, std::uint32_t end = 1000) {
  return {.next = {.entry = 1, .turn = turn}, .end_of_turns = end};
}

} // namespace zklock::test
