#pragma once

#include "client/lock_driver.hpp"
#include "client/lock_line.hpp"
#include "client/lock_listener.hpp"
#include "support/description.hpp"
#include "support/recycled_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zklock::detail {

/// The owner of a lock's line on the strand: told of the line's events, and asked whether the line
/// may open.
class line_surroundings {
 public:
  /// Whether the line may grant the entry of a holder to the next acquisitions.
  virtual bool may_open() = 0;
  /// The line was closed, after so many grants.
  virtual void line_closed(std::uint32_t grants, bool is_held) = 0;
  /// An event has been processed, with all actions that followed.
  virtual void settled() = 0;

 protected:
  ~line_surroundings() = default;
};

/// Has the queue of a lock serve the acquisitions of the lock's line. The ticket of a waiting
/// acquisition is its demand in the queue. The queue grants an entry to a demand, and the
/// acquisition of the demand that has waited longest holds by the entry. Used on the strand only.
///
/// Invariant: before an event reaches the queue the line is closed, each acquisition that waits has
/// a ticket, unless the strand has not seen it yet, and `holders_` has the acquisition of each
/// entry with a holder.
class line_tickets final : lock_listener {
 public:
  line_tickets(lock_line& line, line_surroundings& around, bool caches)
      : line_(line), around_(around), caches_(caches) {}

  line_tickets(const line_tickets&) = delete;
  line_tickets& operator=(const line_tickets&) = delete;

  /// Sets the driver of the lock's queue. To be called once, before all other functions.
  void drive(lock_driver& driver) noexcept { driver_ = &driver; }
  lock_listener& listener() noexcept { return *this; }

  /// Has the queue serve the acquisitions without a ticket. `needs_queue`: even if the open line
  /// serves them.
  void look(bool needs_queue);
  void start_try(line_member& c);

  void close();

  /// An acquisition that was taken out of the line gives up.
  void withdraw(line_member& c);
  /// Releases a hold, unless the hold has ended already.
  void release(line_member& c, bool may_cache);
  void downgrade(line_member& c);
  void set_identity(line_member& c, const queue::identity_pointer& identity);
  /// Has the session proven for an acquisition that holds, unless a proof is under way.
  void prove(line_member& c);

  /// Returns the acquisitions, in no order. The line is closed.
  std::vector<lock_line::member_ptr> members();
  /// Takes out all acquisitions, and returns them.
  std::vector<lock_line::member_ptr> take_all();

  /// Whether the queue has confirmed that an acquisition is in line, or the line serves it.
  bool in_line(const line_member& c) const noexcept;
  /// The number of acquisitions and of entries of other clients ahead; empty if the number is not
  /// known.
  std::optional<std::size_t> count_ahead(const line_member& c) const noexcept;

  /// Returns how often the line has granted since the last call.
  std::uint32_t take_grants() noexcept;

  /// The waiting acquisition, or the try, with this ticket that has waited longest; null if there
  /// is none.
  line_member* find_waiting(queue::demand_id ticket) const noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  void on_event() override;
  void on_granted(queue::demand_id to, const grant& by) override;
  void on_refused(queue::demand_id which, queue::reason why) override;
  void on_downgraded(queue::entry_id held, queue::reason why) override;
  void on_lost(queue::entry_id held, queue::reason why) override;
  void on_released(queue::entry_id held, queue::reason why) override;
  void on_settled() override;

  void open();
  void give_tickets();
  void refuse(line_member& c, queue::reason why);
  line_member* find_holder(queue::entry_id held) const noexcept;
  lock_line::member_ptr take_holder(queue::entry_id held);
  static queue::lock_mode asked_by(line_member& c);

  lock_line& line_;
  line_surroundings& around_;
  const bool caches_;
  lock_driver* driver_ = nullptr;
  recycling_map<queue::demand_id, line_member*> tries_;
  recycling_map<queue::entry_id, line_member*> holders_;
  bool is_open_ = false;
  // Acquisitions got tickets, and the queue has not served them.
  bool is_unserved_ = false;
  // The next turn at the last look.
  std::uint32_t seen_turn_ = 0;
};

} // namespace zklock::detail
