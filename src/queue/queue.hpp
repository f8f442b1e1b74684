#pragma once

#include "queue/action.hpp"
#include "queue/entry.hpp"
#include "queue/lock_policy.hpp"
#include "queue/node_budget.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::queue {

struct settings {
  /// How many entries that do not hold yet may be in ZooKeeper at a time; the others wait here.
  std::size_t window = 64;

  /// How many of the entries of others right before ours are watched ahead of time.
  std::size_t look_ahead = 8;

  /// What an entry takes from the budget: the bytes of its path.
  std::size_t entry_bytes = 100;

  /// How often one entry is handed over to another acquisition of this client, where somebody
  /// waits, before it is deleted.
  std::uint32_t local_handoffs = 0;

  /// Which entries of the line may hold.
  lock_policy policy = lock_policy::exclusive;

  /// How many permits can be taken at once.
  std::uint32_t most_permits = std::numeric_limits<std::uint32_t>::max();

  /// How many permits there are; nothing where the servers are to be asked.
  std::optional<std::uint32_t> limit{};
};

/// The queue of one lock as one client sees it: who of ours waits, who holds, who of others is
/// before us. A pure state machine: events go in, actions come out; it knows no network and no
/// clock.
///
/// Acquisitions are what callers make, entries are nodes in line. They are matched when an entry's
/// turn has come, first come first served: where an entry is lost it is the last of those who wait
/// that has to get in line again.
///
/// What makes it fast is what it remembers. Numbers are given out in rising order, so nobody can
/// enter ahead of a number that was given out already: a list, once seen, can only shrink. `known_`
/// is the highest number up to which we know all that may be alive; an entry whose number follows
/// it directly needs no list at all, and one whose predecessors are all known to be gone holds the
/// lock without asking anybody.
class queue {
 public:
  /// The budget and the memory must live as long as the queue. Entries come and go with every
  /// acquire: memory that is used again is worth having.
  queue(const settings& settings, node_budget& budget,
        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // What the callers want.

  /// Gets in line. `trying`: hold at once or not at all. Ids must rise from call to call: they are
  /// the order in which those who wait here hold.
  void acquire(event_context& context, acquisition_id id, lock_mode asked, bool trying);

  /// Gives back a lock that is held, or gives up waiting. Ends with `forget`. Unknown ids are
  /// ignored: the acquisition has ended already.
  ///
  /// What is granted at once is granted by entries that were not looked at since they got in line.
  /// Whether they still exist is checked in the transaction that deletes the one given back.
  void release(event_context& context, acquisition_id id);

  /// Makes a reader of a writer that holds. Ends with `downgraded`, or with `lose`; with neither
  /// where it does not hold to write. Called once for an acquisition.
  void downgrade(event_context& context, acquisition_id id);

  /// Has the session confirmed, and the node of an acquisition that holds. Ends with `confirmed`;
  /// with nothing where there is no connection, or it does not hold.
  void prove(event_context& context, acquisition_id id);

  /// Sends again what the servers refused for a reason that may pass, where there is anything:
  /// `has_refused` tells. To be called some time after that, not at once.
  void try_again(event_context& context);

  /// Tries again to get those in line who found the budget used up.
  void refill(event_context& context);

  /// Makes one of those who wait behind others of ours leave the line; he gets in line again when
  /// there is room. `for_rest`, for another queue that wants the rest of what it needs: also the
  /// first, where that wants the rest itself. Each would keep its part from the other one for ever.
  /// Returns whether the budget gets something back.
  bool make_room(event_context& context, bool for_rest);

  // What happens to the session.

  /// Connected, for the first time, again, or with a new session: then after `expired`.
  void connected(event_context& context, session_token token);

  /// Requests in flight will never be answered.
  void disconnected();

  /// The session has ended and its nodes with it. Comes after `disconnected`.
  void expired(event_context& context);

  // Answers to requests.

  void directory_made(event_context& context, answer result);
  void created(event_context& context, entry_id id, answer result, sequence number,
               std::int64_t czxid);
  /// `children_ever`: how many children the directory ever had.
  void listed(event_context& context, answer result, std::span<const std::string_view> names,
              std::int64_t children_ever);
  void removed(event_context& context, entry_id id, answer result);
  /// The name is that of `remove_stray` or `remove_stray_permit`.
  void stray_removed(event_context& context, std::string_view name, answer result);
  void inspected(event_context& context, entry_id id, answer result, std::int64_t czxid);
  void watched(event_context& context, std::string_view name, answer result);
  void directory_watched(event_context& context, answer result);
  void downgraded(event_context& context, entry_id id, answer result);
  /// `no_entry`: it failed because the entry's node does not exist.
  void taken(event_context& context, entry_id id, answer result, bool no_entry, std::int64_t czxid);
  void permits_listed(event_context& context, answer result,
                      std::span<const std::string_view> names);
  /// No value: what the node holds is no limit.
  void limited(event_context& context, answer result, std::optional<std::uint32_t> value);

  /// The session is proven again, as asked for by `confirm`.
  void confirmed(event_context& context);

  // What others did.

  /// A watch set by `watch` fired.
  void entry_changed(event_context& context, std::string_view name, bool deleted);

  /// The watch set by `watch_directory` fired.
  void directory_changed(event_context& context, bool deleted);

  /// The node of an entry of ours, or one of its permits, does not exist. An entry whose node has
  /// another form meanwhile is none the worse for that.
  void missing(event_context& context, entry_id id, form node);

  /// The watch set by `list_permits` fired.
  void permits_changed(event_context& context);

  /// The watch set by `ask_limit` fired.
  void limit_changed(event_context& context);

  // What there is to see.

  /// Whether nobody waits or holds, and nothing is to be deleted.
  bool empty() const noexcept;

  /// Whether the servers refused to delete something, or to list what is to be deleted, for a
  /// reason that may pass.
  bool has_refused() const noexcept { return refused_; }

  /// Whether somebody waits for the budget.
  bool starved() const noexcept { return (starved_ && !waiting_.empty()) || starved_taking_; }

  /// Whether nothing that is given back here can help whoever waits for the budget.
  bool needs_room() const noexcept { return starved_taking_ || (starved() && entries_.empty()); }

  /// Whether the first in line waits for room for the rest of its permits.
  bool wants_rest() const noexcept { return starved_taking_; }

  /// Whether it waits for the budget, has nothing, and wants so little that it may be lent.
  bool may_borrow() const noexcept;

  /// Whether so many permits fit into the budget at all.
  bool fits_budget(std::uint32_t permits) const noexcept {
    return settings_.entry_bytes * permits <= budget_.total();
  }

  /// All entries.
  const std::pmr::map<entry_id, entry>& entries() const noexcept { return entries_; }

  /// The entries that have a node, in line: held or waiting.
  const std::pmr::map<sequence, entry*>& own() const noexcept { return own_; }

  /// Whether what an acquisition waits for is its turn, or room: an entry of ours is in line, its
  /// own or one before it. Otherwise the servers have confirmed nothing yet.
  bool in_line(acquisition_id id) const noexcept;

  /// How many stand before an acquisition that waits; nothing where that is not known, or it does
  /// not wait.
  std::optional<std::size_t> place_of(acquisition_id id) const noexcept;

 private:
  enum class presence : std::uint8_t { absent, asked, present };

  struct foreign {
    std::string name;
    role wants;
    bool watched = false;
    /// Left, and may have taken another place with the same number: the next list tells.
    bool unsure = false;
  };

  /// A node of ours that belongs to no entry.
  struct stray {
    std::string name;
    bool is_permit = false;
    /// Whether its deletion is in flight; otherwise it was refused, or there is no connection.
    bool asked = false;
  };

  using foreign_map = std::multimap<sequence, foreign>;

  /// A try that has no entry: it creates none where the lock is taken.
  struct attempt {
    lock_mode asked;
    /// Whether it waits for a list, and the first that can answer it.
    bool probing = false;
    std::uint64_t sent = 0;
  };

  /// How those who want the same are matched with entries.
  struct seats {
    explicit seats(std::pmr::memory_resource* memory) : taken(memory) {}

    /// Those for whom there is an entry, and how many permits they want.
    std::pmr::map<acquisition_id, std::uint32_t> taken;
    /// The entries that do not hold and are for whoever comes first, in line or on their way there.
    std::size_t all = 0;
    /// How many may be free: hand-overs leave entries for those who soon come again.
    std::size_t spare = 0;

    std::size_t free() const noexcept { return all - taken.size(); }
  };

  /// What is known of the permits.
  struct ledger {
    std::optional<std::uint32_t> limit;
    /// How many others have at most, where `known`.
    std::size_t others = 0;
    /// How many of ours there are, or are about to be.
    std::size_t own = 0;
    bool known = false;
    bool listing = false;
    bool watched = false;
    bool asking_limit = false;
    /// Whether the limit may be another one by now.
    bool limit_is_old = false;
    /// When the newest list was asked for, in the order of all creates and lists.
    std::uint64_t sent = 0;
  };

  seats& seats_of(role wants) noexcept { return seats_[static_cast<std::size_t>(wants)]; }
  entry* find(entry_id id) noexcept;
  foreign_map::iterator find_foreign(std::string_view name) noexcept;
  bool can_ask() const noexcept { return connected_ && !recovering_; }
  bool covered(const entry& e) const noexcept { return known_ >= e.number; }
  bool anchored() const noexcept;
  std::size_t unheld() const noexcept {
    return seats_[0].all + seats_[1].all + tries_in_line_ + abandoned_;
  }
  void weigh_anchor() noexcept;
  void forget_others() noexcept;

  // How acquisitions and entries meet and part.
  bool leave_seat(event_context& context, const action& told);
  void give_up(event_context& context, acquisition_id id);
  void give_back(event_context& context, acquisition_id id);
  static void check_granted(event_context& context, std::size_t begin, entry_id known = 0);
  const entry& seat(role wants, std::ptrdiff_t rank) const noexcept;
  void drop(event_context& context, entry& e);
  bool can_hand_over(const entry& e) noexcept;
  void hand_over(event_context& context, entry& e);
  void end_turns(entry& e);
  void assign(entry& e);
  void stop_trying(entry& e) noexcept;
  void vacate(event_context& context, entry& e, reason why = reason::none);
  void take_seats();
  bool needed(const entry& e) noexcept;
  bool shed(event_context& context);
  void fill(event_context& context);

  // How places in line are replaced by permits, or by a reader's.
  bool knows_limit() const noexcept;
  bool fits(std::uint32_t permits) const noexcept;
  bool take(event_context& context, entry& e);
  void return_permits(entry& e) noexcept;
  void give_back_taking(entry& e);
  void wait_again(entry& e);
  void leave_taking(entry& e);
  void untake(event_context& context, entry& e);
  void grant_taken(event_context& context);
  void list_permits(event_context& context);
  void ask_limit(event_context& context);
  void compare_with_limit(event_context& context);
  bool first_in_line() const noexcept;
  void answer_tries(event_context& context);
  void settle_permits(event_context& context);
  void settle_permits(event_context& context, entry& e);
  void settle_downgrade(event_context& context, entry& e, role seen);
  void end_downgrade(event_context& context, entry_id id, answer result);
  void settle_doubt(event_context& context, entry& e, answer result);
  void remove_reader(event_context& context, const entry& e);
  void send_downgrade(event_context& context, const entry& e);
  void confirm(event_context& context, const entry& e);
  void refuse_taking(event_context& context, entry& e, reason why);
  void missing_permit(event_context& context, entry& e);
  static reason to_reason(answer result) noexcept;

  // How an entry goes from one state to the next.
  entry* create(event_context& context, lock_mode asked);
  bool arrive(event_context& context, entry& e, entry::state is);
  void refuse(event_context& context, acquisition_id id, reason why);
  void refuse_all(event_context& context, reason why);
  void lose(event_context& context, entry& e, reason why);
  void lose_node(event_context& context, entry& e);
  void clear_line(event_context& context);
  void remove(event_context& context, entry& e);
  void send_remove(event_context& context, entry& e);
  void remove_stray(event_context& context, std::string name, bool is_permit);
  void send_stray(event_context& context, stray& one);
  void forget(event_context& context, entry& e, reason why = reason::none);

  // What follows from an event: who may hold, what must be known of those before us, who gets in
  // line.
  void advance(event_context& context);
  void grant(event_context& context);
  bool grant(event_context& context, entry& e);
  void hold_by(event_context& context, entry& e);
  void prepare(event_context& context);
  bool look_ahead(event_context& context, entry& e);
  void list(event_context& context, action::kind how);
  void start_tries(event_context& context);
  predecessors ours() const noexcept;

  // What a list shows.
  void settle_seen(event_context& context, const entry_name& parsed, std::string_view name,
                   bool recovered);
  void settle_unseen(event_context& context, bool recovered);
  std::vector<acquisition_id> settle_tries(event_context& context);
  void create_for_try(event_context& context, acquisition_id id);
  void settle_unlisted(event_context& context);

  const settings settings_;
  node_budget& budget_;
  session_token token_;

  std::pmr::map<entry_id, entry> entries_;
  std::pmr::map<sequence, entry*> own_;
  // Those who hold, and those who try and have an entry.
  std::pmr::unordered_map<acquisition_id, entry*> holders_;
  // Those for whom there is no entry yet.
  std::pmr::map<acquisition_id, lock_mode> waiting_;
  std::pmr::map<acquisition_id, attempt> tries_;
  std::array<seats, 2> seats_;
  std::vector<stray> strays_;
  foreign_map foreign_;
  ledger permits_;

  // No value: nothing is known. No number stands for that: children can have any, also negative
  // ones.
  std::optional<sequence> known_;
  std::uint64_t sent_ = 0;
  std::uint64_t list_sent_ = 0;
  std::uint64_t uses_ = 0;
  // Entries of tries that do not hold.
  std::size_t tries_in_line_ = 0;
  std::size_t abandoned_ = 0;
  predecessors creating_;
  presence directory_ = presence::absent;
  presence directory_watch_ = presence::absent;
  bool connected_ = false;
  bool recovering_ = false;
  bool listing_ = false;
  bool making_parents_ = false;
  // Whose node the quorum is asked for; 0: it is not.
  entry_id confirming_ = 0;
  bool met_gap_ = false;
  // Something is to be sent again, and the lists of the recovery among it.
  bool refused_ = false;
  bool relist_ = false;
  bool starved_ = false;
  bool starved_taking_ = false;
  // The first of ours in line waits for permits.
  bool blocked_ = false;
};

} // namespace zklock::queue
