#pragma once

#include "support/description.hpp"

#include <cstdint>

namespace zklock::queue {

/// Whether a lock that is given back stays with this client for its next use, and whether it may be
/// granted again, or handed over without a limit, without a request.
///
/// An entry that is kept stays in line and excludes other clients as ever. So whatever is granted
/// by it excludes them. What is watched tells only that another client waits: it is for fairness.
class lock_cache {
 public:
  explicit lock_cache(bool is_enabled) noexcept : is_enabled_(is_enabled) {}

  // The uses of the lock. It is worth keeping where it was acquired twice in a row while no entry
  // of another client was seen.

  void used() noexcept {
    if (uses_ < uses_that_count) ++uses_;
  }
  void others_seen() noexcept {
    conflicts_ += is_worth_it();
    uses_ = 0;
  }
  bool is_worth_it() const noexcept { return is_enabled_ && uses_ == uses_that_count; }

  /// How often another client wanted what was worth keeping.
  std::uint32_t conflicts() const noexcept { return conflicts_; }

  // The list of the directory with a watch. It is answered before the event of its watch. An event
  // while it is asked for belongs to an earlier one: the answer shows what that told.

  bool is_asked() const noexcept { return watch_ == watch_state::asked; }
  bool is_watched() const noexcept { return watch_ == watch_state::set; }
  void ask() noexcept { watch_ = watch_state::asked; }
  void answered(bool is_set) noexcept { watch_ = is_set ? watch_state::set : watch_state::none; }
  void fired() noexcept {
    if (watch_ == watch_state::set) watch_ = watch_state::none;
  }
  void disconnected() noexcept { watch_ = watch_state::none; }

 private:
  template <class Writer>
  friend class zklock::description;

  enum class watch_state : std::uint8_t { none, asked, set };

  static constexpr std::uint8_t uses_that_count = 2;

  const bool is_enabled_;
  std::uint8_t uses_ = 0;
  std::uint32_t conflicts_ = 0;
  watch_state watch_ = watch_state::none;
};

} // namespace zklock::queue
