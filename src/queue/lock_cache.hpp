#pragma once

#include "support/description.hpp"

#include <cstdint>

namespace zklock::queue {

/// Whether a released entry is cached for the next acquisition of this client, and whether an entry
/// may be granted again, or handed over without a limit, without a request.
///
/// A cached entry stays in line and excludes other clients, and so does each grant by it. The watch
/// only tells that another client waits: it is for fairness.
class lock_cache {
 public:
  explicit lock_cache(bool is_enabled) noexcept : is_enabled_(is_enabled) {}

  // The uses of the lock. Caching is worth it after two acquisitions in a row whose own entries may
  // be cached, and that have met no entry of another client. If acquisitions counted whose entries
  // may not be cached, each of these acquisitions would ask for watches in vain.

  void used() noexcept {
    if (uses_ < uses_that_count) ++uses_;
  }
  void not_wanted() noexcept { uses_ = 0; }
  void others_seen() noexcept {
    conflicts_ += is_worth_it();
    uses_ = 0;
  }
  bool is_worth_it() const noexcept { return is_enabled_ && uses_ == uses_that_count; }

  /// How often another client wanted a lock that was worth caching.
  std::uint32_t conflicts() const noexcept { return conflicts_; }

  // The list of the directory that arms a watch. Its answer comes before the event of its watch: an
  // event while the list is in flight belongs to an earlier watch, and the answer shows the change.

  bool is_arming() const noexcept { return watch_ == watch_state::arming; }
  bool is_watched() const noexcept { return watch_ == watch_state::set; }
  void arm() noexcept { watch_ = watch_state::arming; }
  void answered(bool is_set) noexcept { watch_ = is_set ? watch_state::set : watch_state::none; }
  void fired() noexcept {
    if (watch_ == watch_state::set) watch_ = watch_state::none;
  }
  void disconnected() noexcept { watch_ = watch_state::none; }

 private:
  template <class Writer>
  friend class zklock::description;

  enum class watch_state : std::uint8_t { none, arming, set };

  static constexpr std::uint8_t uses_that_count = 2;

  const bool is_enabled_;
  std::uint8_t uses_ = 0;
  std::uint32_t conflicts_ = 0;
  watch_state watch_ = watch_state::none;
};

} // namespace zklock::queue
