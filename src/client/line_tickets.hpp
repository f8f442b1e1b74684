#pragma once

#include "client/lock_driver.hpp"
#include "client/lock_line.hpp"
#include "client/lock_listener.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// The owner of a lock's line on the strand: told of the line's events, and asked whether the line
/// may open.
class line_surroundings {
 public:
  /// Returns a new id for the queue, higher than all earlier ids.
  virtual queue::acquisition_id next_ticket() noexcept = 0;
  /// Whether the line may grant the entry of a holder to the next acquisitions.
  virtual bool may_open() = 0;
  /// The line was closed, after so many grants.
  virtual void line_closed(std::uint32_t grants, bool is_held) = 0;
  /// An event has been processed, with all actions that followed.
  virtual void settled() = 0;

 protected:
  ~line_surroundings() = default;
};

/// The tickets by which the acquisitions of a line stand in the queue. The queue grants an entry to
/// a ticket, and the ticket passes the entry to the acquisition that has waited longest; so the
/// line can grant an entry to an acquisition that the queue does not know. Used on the strand only.
///
/// Invariant: before an event reaches the queue the line is closed, each acquisition that waits has
/// a ticket, unless the strand has not seen it yet, and the queue knows the holder.
class line_tickets final : lock_listener {
 public:
  line_tickets(lock_line& line, line_surroundings& around, bool caches,
               std::pmr::memory_resource* memory)
      : line_(line), around_(around), caches_(caches), by_ticket_(memory) {}

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
  void release(line_member& c, bool may_keep);
  void downgrade(line_member& c);
  /// Has the session proven for an acquisition that holds.
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

  /// The acquisition with a ticket; null if there is none.
  line_member* find(queue::acquisition_id ticket) const noexcept;

  /// Gives the state to `to`, in which `id_of` names an acquisition.
  template <class Writer, class IdOf>
  void describe(Writer& to, IdOf id_of) const {
    line_.describe(to, id_of);
    const std::map<queue::acquisition_id, line_member*> sorted(by_ticket_.begin(),
                                                               by_ticket_.end());
    for (const auto& [ticket, c] : sorted) {
      if (line_.is_loose(ticket)) continue;
      to.acquisition(ticket);
      to.caller(id_of(*c));
    }
  }

 private:
  void on_event() override;
  void on_granted(queue::acquisition_id id, const grant& by) override;
  void on_downgraded(queue::acquisition_id id, queue::reason why) override;
  void on_refused(queue::acquisition_id id, queue::reason why) override;
  void on_lost(queue::acquisition_id id, queue::reason why) override;
  void on_released(queue::acquisition_id id, queue::reason why) override;
  void on_settled() override;

  void open();
  void tell_queue(lock_line::closed& was);
  void give_tickets();
  lock_line::member_ptr take(queue::acquisition_id ticket);
  void give(line_member& c, queue::acquisition_id ticket);
  static queue::lock_mode asked_by(line_member& c);

  lock_line& line_;
  line_surroundings& around_;
  const bool caches_;
  lock_driver* driver_ = nullptr;
  // The elements of loose tickets, whose acquisitions the open line has granted, dangle until the
  // line is closed.
  std::pmr::unordered_map<queue::acquisition_id, line_member*> by_ticket_;
  bool is_open_ = false;
  // The next turn at the last look.
  std::uint32_t seen_turn_ = 0;
};

} // namespace zklock::detail
