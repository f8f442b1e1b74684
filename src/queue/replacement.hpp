#pragma once

#include "queue/answer.hpp"
#include "support/description.hpp"

#include <cstdint>

namespace zklock::queue {

/// The replacement of an entry's node by others, in one transaction: by the node of a reader that
/// has the same number, or by permits.
///
/// Invariant: while it is open either the first node exists or those that replace it, never both;
/// where it is done all of those that replace it existed.
///
///     none -> in_flight -> done               the transaction is answered
///             in_flight -> none               the same; the first node is kept
///             in_flight -> unconfirmed        the connection is lost
///             unconfirmed -> done, none       a list shows which nodes exist
///             unconfirmed -> inspecting       the list is refused: one of the nodes is asked for
class replacement {
 public:
  enum class state : std::uint8_t { none, in_flight, unconfirmed, inspecting, done };

  enum class outcome : std::uint8_t {
    /// The first node exists.
    kept,
    /// The nodes that replace it exist.
    replaced,
    /// Neither does, or only a part of those that replace it.
    lost,
  };

  replacement() = default;

  state is() const noexcept { return is_; }
  bool is_open() const noexcept { return is_ != state::none && is_ != state::done; }
  bool is_done() const noexcept { return is_ == state::done; }

  /// How many permits replace the entry, or are to; 0 where it is a reader's node, or nothing.
  std::uint32_t permits() const noexcept { return permits_; }

  /// Whether any of the nodes, or all, are shown by the newest list.
  bool is_shown() const noexcept { return shown_ != 0; }
  bool is_all_shown() const noexcept { return shown_ == nodes(); }

  void begin_reader() noexcept { *this = {state::in_flight, 0}; }
  void begin_permits(std::uint32_t permits) noexcept { *this = {state::in_flight, permits}; }

  /// Ends it, or forgets what it was: the first node is what there is.
  void reset() noexcept { *this = {}; }

  /// The connection is lost, or was not there: the outcome is not known.
  void interrupt() noexcept {
    if (is_open()) is_ = state::unconfirmed;
  }

  /// The list is refused: one of the nodes is asked for.
  void inspect() noexcept { is_ = state::inspecting; }

  /// The transaction is answered. `is_first_missing`: it failed because the first node does not
  /// exist. Where the first node is kept or lost, `reset` is up to the caller.
  outcome answered(answer result, bool is_first_missing) noexcept {
    if (result == answer::ok) return complete();
    return result == answer::no_node && is_first_missing ? outcome::lost : outcome::kept;
  }

  // A list of the nodes that replace it: forget what the last one showed, and see one of them.
  void hide() noexcept { shown_ = 0; }
  void show() noexcept { ++shown_; }

  /// No list may be had. The nodes count as there: what is done to them tells.
  void assume_shown() noexcept { shown_ = nodes(); }

  /// The first node was replaced.
  outcome complete() noexcept {
    is_ = state::done;
    return outcome::replaced;
  }

 private:
  template <class Writer>
  friend class zklock::description;

  std::uint32_t nodes() const noexcept { return permits_ == 0 ? 1 : permits_; }

  replacement(state is, std::uint32_t permits) noexcept : is_(is), permits_(permits) {}

  state is_ = state::none;
  std::uint32_t permits_ = 0;
  std::uint32_t shown_ = 0;
};

} // namespace zklock::queue
