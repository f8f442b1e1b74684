#pragma once

#include "queue/answer.hpp"
#include "support/description.hpp"

#include <cstdint>

namespace zklock::queue {

/// The replacement of an entry's first node in a transaction: by a reader's node with an equal
/// number, or by permits.
///
/// Invariant: while it is open, either the first node exists or all its replacements, never both;
/// once it is done, all replacements existed.
///
///     none -> in_flight -> done               the transaction is answered
///             in_flight -> none               the transaction has failed
///             in_flight -> unconfirmed        the connection is lost
///             unconfirmed -> done, none       a list shows which nodes exist
///             unconfirmed -> inspecting       the list is refused: a node is inspected
class replacement {
 public:
  enum class state : std::uint8_t { none, in_flight, unconfirmed, inspecting, done };

  enum class outcome : std::uint8_t {
    /// The first node exists.
    unchanged,
    /// All replacements exist.
    replaced,
    /// Neither the first node exists, nor all replacements.
    lost,
  };

  replacement() = default;

  state is() const noexcept { return is_; }
  bool is_open() const noexcept { return is_ != state::none && is_ != state::done; }
  bool is_done() const noexcept { return is_ == state::done; }

  /// The number of permits; 0 for a reader's node, or for none.
  std::uint32_t permits() const noexcept { return permits_; }

  /// Whether the newest list shows any replacement, or all of them.
  bool is_shown() const noexcept { return shown_ != 0; }
  /// As `is_shown`, and the servers have permitted to list.
  bool is_listed() const noexcept { return is_shown() && !is_assumed_; }
  bool is_all_shown() const noexcept { return shown_ == nodes(); }

  void begin_reader() noexcept { *this = {state::in_flight, 0}; }
  void begin_permits(std::uint32_t permits) noexcept { *this = {state::in_flight, permits}; }

  /// Ends or forgets the replacement: the entry has only its first node.
  void reset() noexcept { *this = {}; }

  /// The connection is lost, or missing: the outcome is unknown.
  void interrupt() noexcept {
    if (is_open()) is_ = state::unconfirmed;
  }

  /// The list is refused: a node is inspected instead.
  void inspect() noexcept { is_ = state::inspecting; }

  /// The transaction is answered. `is_first_missing`: it failed because the first node does not
  /// exist. Unless the node is replaced, the caller must call `reset`.
  outcome answered(answer result, bool is_first_missing) noexcept {
    if (result == answer::ok) return complete();
    return result == answer::no_node && is_first_missing ? outcome::lost : outcome::unchanged;
  }

  // A list of the replacements: forget the earlier list, and count a listed node.
  void hide() noexcept {
    shown_ = 0;
    is_assumed_ = false;
  }
  void show() noexcept { ++shown_; }

  /// Without permission to list, the replacements are taken to exist: the requests that follow
  /// show.
  void assume_shown() noexcept {
    shown_ = nodes();
    is_assumed_ = true;
  }

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
  bool is_assumed_ = false;
  std::uint32_t permits_ = 0;
  std::uint32_t shown_ = 0;
};

} // namespace zklock::queue
