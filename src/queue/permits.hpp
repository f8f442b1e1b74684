#pragma once

#include "queue/entry_name.hpp"
#include "support/description.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zklock::queue {

/// The permits of a lock: how many there are, and how many are taken.
///
/// Invariant: while the count is known, other clients have at most `others_` of them. Only the
/// first in line takes any, so that the count can only shrink while that is one of ours; it is
/// void as soon as an entry of another client may have been the first.
class permits {
 public:
  /// `limit`: nothing where the servers are to be asked.
  explicit permits(std::optional<std::uint32_t> limit) noexcept
      : limit_(limit), is_limit_given_(limit.has_value()) {}

  // The limit.

  bool is_limit_known() const noexcept;

  /// How many can be asked for at once; nothing where that is not known.
  std::optional<std::uint32_t> most() const noexcept;

  /// Returns whether the limit is to be asked for: it is not yet.
  bool ask_limit() noexcept;
  bool is_asking_limit() const noexcept { return is_asking_limit_; }

  /// The answer; no value where there is no limit. Returns whether it is the first one.
  bool limit_answered(std::optional<std::uint32_t> value) noexcept;

  /// The limit may change before it matters again.
  void forget_limit() noexcept { limit_.reset(); }

  // The permits that are taken.

  /// Whether it is known how many other clients have.
  bool is_count_known() const noexcept { return is_count_known_; }

  /// Whether the servers tell when the permits change.
  bool is_watched() const noexcept { return is_watched_; }
  void watch_fired() noexcept { is_watched_ = false; }

  /// The permits are listed, as the request with this number.
  bool is_listing() const noexcept { return is_listing_; }
  void begin_list(std::uint64_t order) noexcept;

  /// The number of the newest list.
  std::uint64_t list_order() const noexcept { return list_order_; }

  /// The list is answered, or refused.
  void list_answered(bool is_readable) noexcept;

  void count_others(std::size_t others) noexcept { others_ = others; }
  void set_count_known(bool is_known) noexcept { is_count_known_ = is_known; }

  /// Whether so many are free.
  bool fit(std::uint32_t count) const noexcept;

  // The entries that permits have replaced, and that are not granted yet; some entries may be
  // granted already, or gone.

  void note_replaced(entry_id id) {
    replaced_.insert(std::upper_bound(replaced_.begin(), replaced_.end(), id), id);
  }
  std::optional<entry_id> first_replaced() const noexcept {
    return replaced_.empty() ? std::nullopt : std::optional(replaced_.front());
  }
  void forget_replaced() noexcept { replaced_.erase(replaced_.begin()); }

  /// Whether the first in line waits for permits.
  bool is_lacking() const noexcept { return is_lacking_; }
  void set_lacking(bool is) noexcept { is_lacking_ = is; }

  void take(std::uint32_t count) noexcept { own_ += count; }
  /// Whether this client has some.
  bool is_any_taken() const noexcept { return own_ != 0; }
  void returned(std::uint32_t count) noexcept { own_ -= count; }

  /// Nothing that was asked for will be answered.
  void disconnected() noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  std::optional<std::uint32_t> limit_;
  bool is_limit_given_;
  bool is_limit_old_ = false;
  bool is_asking_limit_ = false;
  bool is_count_known_ = false;
  bool is_listing_ = false;
  bool is_watched_ = false;
  bool is_lacking_ = false;
  std::size_t others_ = 0;
  // Those that exist, or are about to.
  std::size_t own_ = 0;
  std::uint64_t list_order_ = 0;
  std::vector<entry_id> replaced_;
};

} // namespace zklock::queue
