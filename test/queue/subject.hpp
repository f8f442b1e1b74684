#pragma once

#include "queue/lock_queue.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zklock::test {

inline const queue::lock_mode reading{.wants = queue::role::shared};

/// Names an acquisition of a test.
using acquisition_id = std::uint64_t;

struct waiting_acquisition {
  acquisition_id id = 0;
  queue::lock_mode asked{};
};

/// A queue, and the actions that it wants after each event, as text: "create 1, list". A node that
/// is created with the identity A is created "as A". Entries are
/// numbered as they are created; acquisitions have the numbers that the test gives them.
class subject {
 public:
  explicit subject(const queue::settings& settings = {}, std::size_t budget = 1 << 20);

  /// Connected, and acquisition 1 is first in line by entry 1, whose number is 5: it holds, where
  /// nothing else is needed.
  void make_first(queue::lock_mode asked = {});

  /// Acquisition 1 has held as in `make_first`, and acquisition 2 holds by entry 2, whose number is
  /// 6.
  void begin_second_use(queue::lock_mode asked = {});

  std::string connected();
  std::string acquire(acquisition_id id, queue::lock_mode asked = {});
  std::string try_acquire(acquisition_id id, queue::lock_mode asked = {});
  std::string downgrade(acquisition_id id);
  /// Gives a hold another identity; empty: the client's.
  std::string rename(acquisition_id id, const std::string& identity);
  std::string release(acquisition_id id, bool may_keep = true);
  std::string try_again();
  std::string prove(acquisition_id id);
  std::string refill();
  std::string drop_surplus();
  void disconnected() { queue_.disconnected(); }
  std::string expired();

  std::string directory_made(queue::answer result = queue::answer::ok);
  std::string created(queue::entry_id id, queue::sequence number);
  std::string not_created(queue::entry_id id, queue::answer result);
  /// `children_ever`: without a value, as many as the numbers of the names show.
  std::string listed(const std::vector<std::string>& names,
                     std::optional<std::int64_t> children_ever = {});
  std::string not_listed(queue::answer result);
  std::string children_listed(const std::vector<std::string>& names);
  std::string children_not_listed(queue::answer result);
  std::string children_changed();
  std::string evict();
  std::string removed(queue::entry_id id, queue::answer result = queue::answer::ok);
  std::string orphan_removed(const std::string& name, queue::answer result = queue::answer::ok);
  std::string inspected(queue::entry_id id, queue::answer result = queue::answer::ok);
  std::string watched(queue::sequence number, queue::answer result = queue::answer::ok);
  std::string data_watched(queue::entry_id id, queue::answer result = queue::answer::ok,
                           bool changed = false);
  std::string data_changed(queue::entry_id id, queue::sequence number,
                           queue::role wants = queue::role::exclusive);
  std::string directory_watched(queue::answer result = queue::answer::ok);
  std::string confirmed();
  std::string downgraded(queue::entry_id id, queue::answer result = queue::answer::ok);
  std::string taken(queue::entry_id id, queue::answer result = queue::answer::ok,
                    bool no_entry = false);
  std::string permits_listed(const std::vector<std::string>& names = {});
  std::string permits_not_listed(queue::answer result);
  std::string permits_changed();
  std::string limited(std::optional<std::uint32_t> value);
  std::string not_limited(queue::answer result);
  std::string limit_changed();
  std::string deleted(queue::sequence number, queue::role wants = queue::role::exclusive);
  std::string changed(queue::sequence number);
  std::string directory_changed(bool deleted);
  std::string missing(queue::entry_id id, queue::form node = {});

  /// The entry that may be granted without the queue; 0 for none.
  queue::entry_id for_fast_path() const noexcept;
  void lend(queue::entry_id held);
  void granted_fast(queue::entry_id by, std::uint32_t next_turn, acquisition_id holder,
                    const std::vector<acquisition_id>& gone = {},
                    const std::vector<waiting_acquisition>& added = {});

  queue::idle_knowledge knowledge() noexcept { return queue_.knowledge(); }
  /// Connected, with the knowledge of an earlier queue.
  std::string resumed(const queue::idle_knowledge& known);

  bool in_line() const { return queue_.in_line(); }

  /// The name of an own entry, and of an entry of another client.
  std::string own(queue::entry_id id, queue::sequence number,
                  queue::role wants = queue::role::exclusive) const;
  std::string other(queue::sequence number, queue::role wants = queue::role::exclusive) const;

  /// The name of an own permit, and of a permit of another client.
  std::string permit(queue::entry_id id, std::uint32_t index = 0) const;
  static std::string other_permit(std::uint32_t number);

  /// The name of the own entry that was to be deleted last.
  const std::string& removes() const noexcept { return removes_; }

  std::size_t cached() const noexcept { return queue_.cached(); }
  bool empty() const noexcept { return queue_.empty(); }
  bool accounts_for(queue::entry_id id, queue::form node = {}, std::string_view name = {}) const {
    return queue_.accounts_for(id, node, name);
  }
  bool has_refused() const noexcept { return queue_.has_refused(); }
  bool starved() const noexcept { return queue_.starved(); }
  bool claims_room() const noexcept { return queue_.needs_room() == queue::room_need::first; }

  /// Another lock waits for room.
  void close_budget() { budget_.update(other_); }
  void take_room(std::size_t bytes) { budget_.take(bytes, queue::room_need::first); }
  std::size_t room_left() const noexcept { return budget_.left(); }

  /// Whether the session is proven to live.
  bool proven = true;

 private:
  struct waiter {
    acquisition_id id;
    queue::demand_id demand;
  };

  template <class Event>
  std::string after(Event event);
  std::string to_string(const queue::action& action);
  /// The acquisition that an action tells of.
  acquisition_id told(const queue::action& action);
  /// The entry by which an acquisition holds; 0 if there is none.
  queue::entry_id entry_of(acquisition_id id) const noexcept;
  /// Removes the acquisition that has waited longest for which the condition holds.
  template <class Condition>
  std::optional<waiter> take_waiter(Condition condition);

  struct waiting_lock final : queue::room_user {
    queue::room_need needs_room() const noexcept override { return queue::room_need::first; }
    bool has_surplus() const noexcept override { return false; }
    void refill() override {}
    bool drop_surplus() override { return false; }
  };

  const queue::lock_policy policy_;
  queue::node_budget budget_;
  waiting_lock other_;
  queue::lock_queue queue_;
  queue::entry_id last_entry_ = 0;
  queue::session_token token_{0x1234567890ab0cde};
  std::string removes_;
  std::vector<waiter> waiting_;
  std::map<queue::entry_id, acquisition_id> holders_;
};

/// For tests in a suite that do not use the fixture of the suite.
struct nothing {};

} // namespace zklock::test
