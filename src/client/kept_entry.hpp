#pragma once

#include "client/acquisition.hpp"
#include "queue/entry_name.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace zklock::detail {

class lock_counters;

/// An entry that its client keeps, offered to the acquires of one lock object. They take it and
/// give it back in any thread, without the client's strand.
///
/// The strand offers it while nothing else uses the lock, and takes it back before anything else
/// happens to the lock: a call that is not as simple, an event of the watch, the loss of the
/// connection, a check of the time. If an acquisition holds it then, that is adopted: the queue
/// knows it from then on as one that the queue granted, and its release goes the usual way.
///
/// Invariant: each turn is granted once. Of an offered entry `state_` names the acquisition that
/// takes it or holds it, and what changes it first decides; nothing waits. The strand writes an
/// offer only where no other thread can read the one before.
class kept_entry {
 public:
  struct offer {
    acquisition::place place{};
    queue::role wants = queue::role::exclusive;
    std::int64_t czxid = 0;
    /// The turn of the next acquisition, and the first one that is not granted any more.
    std::uint32_t next_turn = 0;
    std::uint32_t end_of_turns = 0;
    lock_counters* counters = nullptr;
  };

  kept_entry() = default;
  kept_entry(const kept_entry&) = delete;
  kept_entry& operator=(const kept_entry&) = delete;

  // On the strand.

  /// Returns false where a thread is still finding out that the offer before was taken back.
  bool make_offer(const offer& what) noexcept;

  /// Ends the offer. Returns the acquisition that holds the entry, or null. It lives until its
  /// release reaches the strand.
  acquisition* take_back() noexcept;

  queue::entry_id entry() const noexcept { return offer_.place.entry; }
  /// The turn of the next acquisition.
  std::uint32_t next_turn() const noexcept { return next_turn_.load(std::memory_order_acquire); }
  bool is_held() const noexcept { return is_holder(state_.load(std::memory_order_relaxed)); }

  // Any thread.

  /// Grants the entry to an acquisition that nothing else knows yet, if that wants the same.
  /// `proven` tells whether the session is proven now. Returns whether it holds.
  template <class Proven>
  bool grant(acquisition& to, Proven proven) noexcept {
    if (!take(to)) return false;
    if (proven()) return give_to(to);
    put_back(to);
    return false;
  }

  /// Returns whether the acquisition has held the entry, and has given it back. Otherwise the
  /// strand gives it back.
  bool release(const acquisition& by) noexcept;

 private:
  // Other values: the acquisition that holds it, or with the last bit, that takes it.
  enum : std::uintptr_t { not_offered = 0, taking = 1, unused = 2, revoked = 4 };

  static std::uintptr_t holder(const acquisition& one) noexcept {
    return reinterpret_cast<std::uintptr_t>(&one);
  }
  static std::uintptr_t taker(const acquisition& one) noexcept { return holder(one) | taking; }
  static bool is_holder(std::uintptr_t state) noexcept {
    return state > revoked && (state & taking) == 0;
  }
  bool change(std::uintptr_t from, std::uintptr_t to) noexcept {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
  }

  bool take(const acquisition& by) noexcept;
  bool give_to(acquisition& to) noexcept;
  void put_back(const acquisition& by) noexcept;
  void end_revoked() noexcept { state_.store(not_offered, std::memory_order_release); }

  std::atomic<std::uintptr_t> state_{not_offered};
  std::atomic<std::uint32_t> next_turn_{0};
  offer offer_{};
};

} // namespace zklock::detail
