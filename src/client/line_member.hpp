#pragma once

#include "client/grant.hpp"
#include "queue/action.hpp"
#include "queue/entry.hpp"
#include "support/description.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace zklock::detail {

class lock_counters;

/// An acquisition as its lock's line sees it: the wanted mode, and the place in the line.
///
/// The line changes the members with its mutex locked. The line calls the virtual functions without
/// its mutex, except `noexcept` functions that are marked for any thread.
class line_member {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  enum class place : std::uint8_t {
    /// Not in the line: not yet, or not any more.
    outside,
    /// Waits behind the acquisitions that came earlier.
    waiting,
    /// A try: waits for the answer of the queue.
    trying,
    /// Its owner holds the lock already, and the session is in doubt.
    in_doubt,
    /// Holds by the entry that the line grants without the strand.
    holding_fast,
    /// Holds by an entry of the queue, or is released while its entry is being deleted.
    holding,
  };

  line_member(const line_member&) = delete;
  line_member& operator=(const line_member&) = delete;

  virtual std::shared_ptr<line_member> shared() noexcept = 0;

  /// Whether the session is proven for long enough that a body can begin. Any thread.
  virtual bool is_proven() const noexcept = 0;
  /// The acquisition holds from now on. Any thread.
  virtual void granted_fast(const grant& by, time_point now) noexcept = 0;
  /// Completes the acquire of an acquisition that holds. Any thread.
  virtual void complete_fast() = 0;
  /// The hold has ended. Any thread.
  virtual void ended_fast(time_point now) noexcept = 0;
  /// The acquisition counts as a waiter in `locks` from now on. Any thread.
  virtual void counts_in(lock_counters& locks) noexcept = 0;

  // On the strand.

  /// Takes the room along that the acquisition's caller has reserved. Returns false if there is not
  /// enough. Called at most once, if `queue::lock_mode::has_room` is set.
  virtual bool take_room() = 0;
  /// The acquisition holds, and its acquire completes.
  virtual void granted(const grant& by) = 0;
  virtual void downgraded(queue::reason why) = 0;
  /// The acquisition will not hold.
  virtual void refused(queue::reason why) = 0;
  /// The hold has ended before it was released.
  virtual void lost(queue::reason why) = 0;
  /// The nodes of the released hold are gone, or belong to another hold. If `why` is not `none`,
  /// they stay until the session ends.
  virtual void forgotten(queue::reason why) = 0;

  /// The mode that the acquisition asks for.
  const queue::lock_mode& wanted() const noexcept { return wanted_; }
  /// The demand of the queue that the acquisition belongs to while it waits; 0 if the queue does
  /// not know of the acquisition.
  queue::demand_id ticket() const noexcept { return ticket_; }

  // Set when the acquisition begins.
  /// When the acquisition began; after the grant, when it was granted.
  time_point since{};
  /// The end of the timeout, and then of the hold limit.
  time_point deadline = time_point::max();
  bool trying = false;

 protected:
  /// `is_plain`: the acquisition can wait, hold and end without the strand.
  line_member(queue::lock_mode wanted, bool is_plain) noexcept
      : wanted_(std::move(wanted)), is_plain_(is_plain), ends_on_strand_(!is_plain) {}
  ~line_member() = default;

  /// The counters of the acquisition as a waiter, and later as a holder; null before.
  lock_counters* counters_ = nullptr;

 private:
  template <class Writer>
  friend class zklock::description;
  friend class lock_line;
  friend class line_tickets;
  friend class waiting_list;
  friend class due_members;

  const queue::lock_mode wanted_;
  const bool is_plain_;
  /// The strand must see the acquisition before the line can grant it an entry.
  bool is_unseen_ = false;
  /// The hold must end on the strand.
  bool ends_on_strand_;
  place place_ = place::outside;
  queue::demand_id ticket_ = 0;
  /// The entry by which the acquisition holds, as the queue knows; 0 for none.
  queue::entry_id entry_ = 0;
  std::shared_ptr<line_member> self_;
  boost::intrusive::list_member_hook<> waiting_hook_;
  boost::intrusive::list_member_hook<> unseen_hook_;
  boost::intrusive::set_member_hook<> deadline_hook_;
};

} // namespace zklock::detail
