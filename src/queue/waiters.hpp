#pragma once

#include "queue/attempts.hpp"
#include "queue/entry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace zklock::queue {

/// The acquisitions of one lock, and how they are matched with entries.
///
/// An acquisition that waits is `waiting` for an entry, then `in line` by one of the unassigned
/// entries that want the same, then assigned to the first of these whose turn has come. One that
/// tries is an attempt, then assigned to an entry of its own.
///
/// Invariant: each acquisition is in one of these states, and of each role no more acquisitions
/// are in line than there are unassigned entries.
class waiters {
 public:
  /// An acquisition in line: the unassigned entry of its role that has so many before it.
  struct rank_in_line {
    role wants;
    std::ptrdiff_t before;
  };

  explicit waiters(std::pmr::memory_resource* memory);

  // Those that wait for an entry, in the order of their ids.

  void wait(acquisition_id id, lock_mode asked) {
    waiting_.emplace_hint(waiting_.end(), id, asked);
    count_waiting(id, asked, 1);
    newest_ = std::max(newest_, id);
  }
  bool is_any_waiting() const noexcept { return !waiting_.empty(); }
  acquisition_id first_waiting() const noexcept { return waiting_.begin()->first; }
  /// The first waiting acquisition that has brought its room along; nothing if there is none.
  std::optional<acquisition_id> first_brought() const noexcept {
    return brought_.empty() ? std::nullopt : std::optional(*brought_.begin());
  }
  /// Whether the last in line has brought its room along.
  bool has_last_brought(role wants) const noexcept {
    const auto& in_line = of(wants).in_line;
    return !in_line.empty() && in_line.rbegin()->second.has_room;
  }
  /// How many nodes the acquisitions without an entry want that have brought their room along.
  std::size_t count_brought() const noexcept { return brought_nodes_ + attempts_.count_brought(); }
  lock_mode waiting(acquisition_id id) const noexcept { return waiting_.find(id)->second; }

  /// Puts acquisitions in line as far as there are unassigned entries.
  void match();

  /// Puts a waiting acquisition in line, for an entry that was created for it.
  void enter_line(acquisition_id id);

  // Those in line, and their entries.

  /// Takes an acquisition out of line: its entry is unassigned still.
  std::optional<rank_in_line> leave_line(acquisition_id id);
  std::optional<rank_in_line> find_in_line(acquisition_id id) const noexcept;

  /// How many unassigned entries there are, in line or on their way there.
  std::size_t unassigned(role wants) const noexcept { return of(wants).entries; }

  /// How many permits the acquisitions in line want.
  std::size_t count_in_line() const noexcept;

  /// How many permits the first in line wants; nothing where there is none.
  std::optional<std::uint32_t> first_in_line(role wants) const noexcept;

  /// Whether acquisitions wait for an unassigned entry, or are expected to.
  bool is_needed(role wants) const noexcept;

  /// An unassigned entry is gone: the last in line waits again.
  void remove_entry(role wants);

  /// The same, and the first in line waits again.
  void wait_again(role wants);

  /// An entry was refused that was asked for when `newest` was the newest acquisition: of those in
  /// line that began no later the last is taken out and returned. Where there is none, the last in
  /// line waits again.
  std::optional<acquisition_id> refuse_entry(role wants, acquisition_id newest);

  /// How many entries, from their create on, do not hold and are not assigned to one that waited.
  std::size_t entries_in_line() const noexcept;

  // Entries that are to be deleted once their numbers are known count, too.
  void add_abandoned() noexcept { ++abandoned_; }
  void remove_abandoned() noexcept { --abandoned_; }

  // Those that try.

  void add_attempt(acquisition_id id, lock_mode asked) {
    attempts_.add(id, asked);
    newest_ = std::max(newest_, id);
  }
  /// Those without an entry.
  attempts& without_entry() noexcept { return attempts_; }
  const attempts& without_entry() const noexcept { return attempts_; }

  bool is_any_trying_in_line() const noexcept { return trying_in_line_ != 0; }

  // Those that are assigned to an entry.

  /// The entry; null where there is none.
  entry* find_assigned(acquisition_id id) const noexcept;

  /// How many permits a try in line wants.
  std::uint32_t permits_of_try(acquisition_id id) const noexcept;

  /// Assigns the first in line, whose entry it need not have been so far.
  void assign(entry& e);

  /// Assigns an acquisition that has not waited here to an unassigned entry.
  void assign_kept(entry& e, acquisition_id id);

  /// An acquisition does not wait any more. An entry that was created for it stays.
  void stop_waiting(acquisition_id id);

  /// Assigns an attempt to an entry that was created for it.
  void assign_attempt(acquisition_id id, entry& e);

  /// A try holds: it is as any other from now on.
  void stop_trying(acquisition_id id) noexcept;

  /// The acquisition has no entry any more, or is over.
  void unassign(acquisition_id id) noexcept;

  /// The entry is lost. A try is an attempt again. Another acquisition waits, and those
  /// that do take the entries of those in line that came later.
  void requeue(acquisition_id id);

  /// The entry is in line again, and unassigned, unless it is a try's. An acquisition that came
  /// earlier takes it; then this one is requeued.
  void requeue_with_entry(entry& e);

  // Hand-overs: an entry goes to the next that waits, and the entry meant for that one is kept for
  // those that soon come again.

  /// Whether the next acquisition to hold wants this.
  bool is_next(role wants) const noexcept;
  void hand_over(role wants) noexcept;
  void end_hand_overs(role wants) noexcept;

  /// An entry without an acquisition stays for the next one that comes.
  void keep(role wants) noexcept;
  /// The same with all that there are.
  void keep_unneeded(role wants) noexcept { of(wants).kept = of(wants).unneeded(); }

  // All of them.

  /// Takes out one that waits for an entry, or tries without one. Returns whether there was one.
  bool withdraw(acquisition_id id) noexcept {
    return !take_waiting(waiting_.find(id)).empty() || attempts_.remove(id);
  }

  /// The one that began last.
  acquisition_id newest() const noexcept { return newest_; }

  /// Takes out those that are not assigned and began no later than `newest`, and returns them:
  /// those in line first.
  std::vector<acquisition_id> withdraw_until(acquisition_id newest);

  /// How many that are not assigned began after `newest`.
  std::size_t count_after(acquisition_id newest) const noexcept;

  /// Whether an acquisition waits, with an entry or without.
  bool is_waiting(acquisition_id id) const noexcept;

  /// How many wait for an entry before this one; nothing where it does not.
  std::optional<std::size_t> waiting_before(acquisition_id id) const noexcept;

  /// Takes out those without an entry that want more permits than `most`, and returns them.
  std::vector<acquisition_id> withdraw_above(std::uint32_t most);

  /// Those in line that want more.
  std::vector<acquisition_id> in_line_above(std::uint32_t most) const;

  /// Whether one waits, with an entry or without, that asks for this.
  bool is_any_wanting(role wants) const noexcept;

  /// Whether none waits at all.
  bool is_idle() const noexcept {
    return empty() && roles_[0].in_line.empty() && roles_[1].in_line.empty();
  }

  /// Whether none waits for an entry, or tries without one.
  bool empty() const noexcept { return waiting_.empty() && attempts_.empty(); }

  /// Gives all of it to `to`.
  template <state_writer Writer>
  void describe(Writer& to) const {
    describe(to, waiting_);
    for (const auto& all : roles_) {
      describe(to, all.in_line);
      to.value(all.entries);
      to.value(all.kept);
    }
    attempts_.describe(to);
    const std::map<acquisition_id, assignment> assigned(assigned_.begin(), assigned_.end());
    to.value(assigned.size());
    for (const auto& [id, made] : assigned) {
      to.acquisition(id);
      to.entry(made.to->id);
      made.asked.describe(to);
      to.value(made.is_try);
    }
    to.value(trying_in_line_);
    to.value(abandoned_);
  }

 private:
  /// With what each asks for. A node moves from one of these maps to the next: a hand-over
  /// allocates nothing.
  using by_id = std::pmr::map<acquisition_id, lock_mode>;

  /// The acquisitions in line that want the same, and the entries for them.
  struct same_role {
    explicit same_role(std::pmr::memory_resource* memory) : in_line(memory) {}

    std::size_t unneeded() const noexcept { return entries - in_line.size(); }

    by_id in_line;
    /// The unassigned entries, in line or on their way there.
    std::size_t entries = 0;
    /// How many of them may have no acquisition.
    std::size_t kept = 0;
  };

  struct assignment {
    entry* to;
    lock_mode asked;
    bool is_try;
  };

  using assignments = std::pmr::unordered_map<acquisition_id, assignment>;

  void count_waiting(acquisition_id id, lock_mode asked, int change);
  by_id::node_type take_waiting(by_id::iterator which) noexcept;
  void put_waiting(by_id::node_type which);
  /// Those that wait take the entries of those in line that came later.
  void displace_later(role wants);
  void add_assignment(acquisition_id id, assignment made);

  static void describe(state_writer auto& to, const by_id& acquisitions) {
    to.value(acquisitions.size());
    for (const auto& [id, asked] : acquisitions) {
      to.acquisition(id);
      asked.describe(to);
    }
  }

  same_role& of(role wants) noexcept { return roles_[static_cast<std::size_t>(wants)]; }
  const same_role& of(role wants) const noexcept { return roles_[static_cast<std::size_t>(wants)]; }

  by_id waiting_;
  // How many waiting acquisitions want which role; the waiting acquisitions that have brought their
  // room along, and how many nodes they want.
  std::array<std::size_t, 2> waiting_for_{};
  std::set<acquisition_id> brought_;
  std::size_t brought_nodes_ = 0;
  std::array<same_role, 2> roles_;
  attempts attempts_;
  assignments assigned_;
  // The node of the assignment that ended last, for the next one.
  assignments::node_type spare_;
  std::size_t trying_in_line_ = 0;
  std::size_t abandoned_ = 0;
  acquisition_id newest_ = 0;
};

} // namespace zklock::queue
