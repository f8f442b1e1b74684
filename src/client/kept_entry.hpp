#pragma once

#include "client/acquisition.hpp"
#include "queue/entry_name.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstdint>
#include <memory>
#include <mutex>

namespace zklock::detail {

class lock_counters;

/// Acquisitions that wait, in the order in which they came, and in the order of their deadlines.
/// The line owns the acquisitions.
class waiting_line {
 public:
  using time_point = acquisition::time_point;

  waiting_line() = default;
  waiting_line(waiting_line&&) noexcept = default;
  waiting_line& operator=(waiting_line&&) noexcept = default;

  bool empty() const noexcept { return waiters_.empty(); }
  void push_back(std::shared_ptr<acquisition> waiter) noexcept;
  /// Null where there is none.
  std::shared_ptr<acquisition> pop_front() noexcept;
  /// Takes one out that is here.
  std::shared_ptr<acquisition> take(acquisition& waiter) noexcept;
  /// Takes out those whose time is up.
  waiting_line take_due(time_point now) noexcept;
  time_point earliest_deadline() const noexcept;

 private:
  using by_hook =
      intrusive::member_hook<acquisition, intrusive::list_member_hook<>, &acquisition::line_hook>;

  using by_deadline_hook = intrusive::member_hook<acquisition, decltype(acquisition::deadline_hook),
                                                  &acquisition::deadline_hook>;

  struct earlier {
    bool operator()(const acquisition& a, const acquisition& b) const noexcept {
      return a.deadline < b.deadline;
    }
  };

  intrusive::list<acquisition, by_hook, intrusive::constant_time_size<false>> waiters_;
  // The acquisitions that have a deadline.
  intrusive::multiset<acquisition, by_deadline_hook, intrusive::compare<earlier>,
                      intrusive::constant_time_size<false>>
      by_deadline_;
};

/// An entry that its client keeps, offered to the acquires of one lock object. They take it, wait
/// for it in line and give it back in any thread, without the client's strand.
///
/// The strand offers it while nothing else uses the lock, and takes it back before anything else
/// happens to the lock: a call that is not as simple, an event of the watch, the loss of the
/// connection. The acquisition that holds it then, and those in line, are adopted: the queue knows
/// them from then on as its own, and their releases go the usual way.
///
/// Invariant: each turn is granted once. Acquisitions are in line only while the entry is offered
/// and held. No code of the user runs while the mutex is locked.
class kept_entry {
 public:
  struct offer {
    acquisition::held_node node{};
    queue::role wants = queue::role::exclusive;
    std::int64_t czxid = 0;
    /// The turn of the next acquisition, and the first one that is not granted any more.
    std::uint32_t next_turn = 0;
    std::uint32_t end_of_turns = 0;
    /// Whether those that wait have entries, too: the strand deletes one where its acquisition
    /// gives up, and all when nothing waits any more.
    bool has_line = false;
    /// Whether the entry stays where nothing waits for it. Otherwise the strand deletes it.
    bool stays = true;
    lock_counters* counters = nullptr;
  };

  /// The acquisition that holds the entry, or null, and the acquisitions in line.
  struct users {
    std::shared_ptr<acquisition> holder{};
    waiting_line line{};
  };

  kept_entry() = default;
  kept_entry(const kept_entry&) = delete;
  kept_entry& operator=(const kept_entry&) = delete;

  // On the strand.

  /// Offers an entry, which may be in use already.
  void make_offer(const offer& what, users by) noexcept;

  /// Ends the offer.
  users take_back() noexcept;

  queue::entry_id entry() const noexcept { return offer_.node.entry; }
  bool has_line() const noexcept { return offer_.has_line; }
  /// The turn of the next acquisition.
  std::uint32_t next_turn() const noexcept;
  bool is_held() const noexcept;

  /// Takes those out of line whose time is up.
  waiting_line take_due(acquisition::time_point now) noexcept;

  /// Returns the earliest deadline in line. The strand looks at the line then.
  acquisition::time_point next_look() noexcept;

  // Any thread.

  /// Grants the entry to an acquisition that nothing else knows yet, if that wants the same, the
  /// entry is not in use, and the session is proven. Returns whether it holds.
  bool grant(acquisition& to) noexcept;

  enum class outcome : std::uint8_t {
    /// The strand must see to it.
    none,
    granted,
    in_line,
    /// The same, and its deadline is before the time at which the strand looks at the line.
    in_line_with_earliest_deadline,
  };

  /// The same, but where another acquisition holds the entry it gets in line.
  outcome grant_or_wait(const std::shared_ptr<acquisition>& to) noexcept;

  /// Takes an acquisition out of line. Returns whether it was there.
  bool leave(acquisition& waiter) noexcept;

  /// Returns whether the acquisition has held the entry, and has given it back. The first in line
  /// holds it then, and its acquire completes. Otherwise the strand gives it back.
  bool release(const acquisition& by) noexcept;

  /// Owns an acquisition whose release cannot reach the strand, if it holds the entry, until the
  /// entry is taken back.
  void keep_alive(std::shared_ptr<acquisition> released) noexcept;

 private:
  bool may_grant(const acquisition& to) const noexcept;
  void hold(acquisition& to, acquisition::time_point now) noexcept;

  mutable std::mutex mutex_;
  bool is_offered_ = false;
  offer offer_{};
  // Lives until its release reaches the strand, or in `kept_alive_`.
  acquisition* holder_ = nullptr;
  std::shared_ptr<acquisition> kept_alive_;
  waiting_line line_;
  // When the strand looks at the line.
  acquisition::time_point looks_at_ = acquisition::time_point::max();
};

} // namespace zklock::detail
