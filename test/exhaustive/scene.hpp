#pragma once

#include "bounds.hpp"
#include "event.hpp"
#include "history.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace exhaustive {

/// A state: real drivers and queues, their callers, and the servers, with the remaining bounds of
/// events.
class scene {
 public:
  scene(const bounds& bounds, bool traced);

  /// Lists the events that can happen next. The caller also tries each event that grants as an
  /// `unproven` event.
  void list_events(std::vector<event>& to) const;
  bool may_be_unproven() const noexcept { return doubts_ != 0; }

  /// Throws `simulation::failure` where a rule is broken. Returns whether something was granted.
  bool happen(const event& what);

  /// Fails where something waits and nothing will happen, or where something is left although
  /// nothing is wanted.
  void check() const;

  /// Whether neither servers nor clients have anything to do.
  bool is_quiet() const;

  void come_to_rest() { history_.come_to_rest(); }

  std::size_t clients() const noexcept { return history_.clients().size(); }
  const simulation::history& history() const noexcept { return history_; }
  simulation::history& history() noexcept { return history_; }
  const exhaustive::bounds& bounds() const noexcept { return bounds_; }

  /// Gives to `to` how many events may still happen to a client, and to all clients.
  template <class Writer>
  void describe_left(Writer& to, std::size_t client) const {
    for (const auto left : own_left_[client])
      to.value(left);
  }
  template <class Writer>
  void describe_left(Writer& to) const {
    for (const auto left : left_)
      to.value(left);
    to.value(doubts_);
  }

 private:
  static constexpr auto last_of_a_client = step::try_acquire;
  static constexpr auto last_bounded = step::foreign_crash;

  using held = std::vector<std::pair<std::size_t, simulation::acquisition_id>>;

  std::uint8_t& left(const event& what) noexcept;
  bool may(step what) const noexcept { return left_[static_cast<std::size_t>(what)] != 0; }
  bool may(step what, std::size_t client) const noexcept {
    return own_left_[client][static_cast<std::size_t>(what)] != 0;
  }
  void list_calls(std::vector<event>& to, std::uint8_t number) const;
  void list_network(std::vector<event>& to, std::uint8_t number) const;
  void list_foreign(std::vector<event>& to, std::uint8_t number) const;
  void carry_out(const event& what);
  void carry_out_foreign(const event& what);
  void acquire(const event& what);
  void lose(const event& what);
  held holds() const;
  void check_waiting(bool is_held) const;

  const exhaustive::bounds& bounds_;
  simulation::history history_;
  /// How often each bounded event may still happen.
  std::array<std::uint8_t, static_cast<std::size_t>(last_bounded) + 1> left_{};
  std::array<std::array<std::uint8_t, static_cast<std::size_t>(last_of_a_client) + 1>, 3>
      own_left_{};
  std::uint8_t doubts_;
};

} // namespace exhaustive
