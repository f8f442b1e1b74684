#pragma once

#include "queue/entry_name.hpp"
#include "support/description.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zklock::queue {

/// The permits of a semaphore: how many there are, and how many are taken.
///
/// Invariant: while the count is known, other clients have at most `others_` permits. Only the head
/// of the line takes permits, so other clients can only release some while an entry of ours is the
/// head; the count is void once an entry of another client may have been the head.
class permits {
 public:
  /// `limit`: empty if the servers are to be asked.
  explicit permits(std::optional<std::uint32_t> limit) noexcept
      : limit_(limit), is_limit_given_(limit.has_value()) {}

  // The limit.

  bool is_limit_known() const noexcept;

  /// How many permits an acquisition may ask for; empty if unknown.
  std::optional<std::uint32_t> most() const noexcept;

  /// Returns whether to ask for the limit: no such request is in flight.
  bool ask_limit() noexcept;

  /// The answer; empty if there is no limit. Returns whether no limit was known before.
  bool limit_answered(std::optional<std::uint32_t> value) noexcept;

  /// Invalidates the limit, which may change before it matters again.
  void forget_limit() noexcept { limit_.reset(); }

  // The permits that are taken.

  /// Whether it is known how many permits other clients have.
  bool is_count_known() const noexcept { return is_count_known_; }

  /// Whether a watch tells when the permits change.
  bool is_watched() const noexcept { return is_watched_; }
  void watch_fired() noexcept { is_watched_ = false; }

  /// The list of the permits in flight; `order`: its place among all creates and lists.
  bool is_listing() const noexcept { return is_listing_; }
  void begin_list(std::uint64_t order) noexcept;

  /// The place of the newest list.
  std::uint64_t list_order() const noexcept { return list_order_; }

  /// The list is answered, or refused.
  void list_answered(bool is_readable) noexcept;

  void count_others(std::size_t others) noexcept { others_ = others; }
  void set_count_known(bool is_known) noexcept { is_count_known_ = is_known; }

  /// Whether so many permits are free.
  bool fit(std::uint32_t count) const noexcept;

  // The entries that permits have replaced and that are not granted yet. Entries that are granted,
  // or gone, may be among them.

  void note_replaced(entry_id id) {
    replaced_.insert(std::upper_bound(replaced_.begin(), replaced_.end(), id), id);
  }
  std::optional<entry_id> first_replaced() const noexcept {
    return replaced_.empty() ? std::nullopt : std::optional(replaced_.front());
  }
  void forget_replaced() noexcept { replaced_.erase(replaced_.begin()); }

  /// Whether the head of the line waits for permits.
  bool is_lacking() const noexcept { return is_lacking_; }
  void set_lacking(bool is) noexcept { is_lacking_ = is; }

  void take(std::uint32_t count) noexcept { own_ += count; }
  /// Whether this client has any permits.
  bool is_any_taken() const noexcept { return own_ != 0; }
  void returned(std::uint32_t count) noexcept { own_ -= count; }

  /// The requests in flight will not be answered.
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
  // Our permits that exist, or are being created.
  std::size_t own_ = 0;
  std::uint64_t list_order_ = 0;
  std::vector<entry_id> replaced_;
};

} // namespace zklock::queue
