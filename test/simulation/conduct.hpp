#pragma once

#include "ensemble.hpp"
#include "plan.hpp"
#include "queue/lock_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simulation {

using zklock::queue::reason;

/// Names one call of acquire; rises with each.
using acquisition_id = std::uint64_t;

/// The identity of acquisitions without an identity of their own.
inline constexpr const char* common_identity = "a client";

/// A request of a queue, or a notification of an acquisition.
struct action {
  using kind = zklock::queue::action::kind;

  kind what;
  reason why = reason::none;
  role wants = role::exclusive;
  entry_id entry = 0;
  acquisition_id acquisition = 0;
  sequence number = 0;
  std::int64_t czxid = 0;
  std::uint32_t turn = 0;
  std::uint32_t permits = 0;
  bool is_misnamed = false;
  /// The data of the node that the request creates.
  std::string identity{};
  std::string name{};
};

/// A call of acquire, as the caller sees it.
struct attempt {
  acquisition_id id = 0;
  role wants = role::exclusive;
  bool tries = false;
  /// The number of the caller that wants several locks, and alone releases them; 0 for none.
  std::size_t caller = 0;
  /// How many permits it wants, and which it has.
  std::uint32_t wanted = 1;
  std::vector<node_id> permits = {};
  /// Whether the permits have been asked for.
  bool taking = false;
  /// Whether other callers in this process wanted the lock at the same time.
  bool has_company = false;
  /// How many transactions there were when it began.
  std::size_t since = 0;
  bool held = false;
  /// Given back or given up.
  bool released = false;
  bool refused = false;
  /// Whether the caller has asked for a downgrade, and whether the downgrade is under way.
  bool asked_to_read = false;
  bool downgrading = false;
  /// Whether its client granted it while misled: with the knowledge of a deleted directory.
  bool misled = false;
  std::string identity = common_identity;
  /// The entry and the node by which it holds.
  entry_id entry = 0;
  node_id node = no_such_node;

  bool wants_something() const noexcept { return !released && !refused; }
  bool waits() const noexcept { return wants_something() && !held; }
  bool may_downgrade() const noexcept {
    return held && wants_something() && wants == role::exclusive && !asked_to_read;
  }
};

/// An entry that the queue has asked for in this session.
struct requested_entry {
  role wants = role::exclusive;
  /// Whether its create may still be carried out, or may have been.
  bool in_flight = true;
  /// Whether its node was found although the create was never answered.
  bool was_found = false;
  /// Whether no client could find out that it has a node.
  bool left_behind = false;
  /// Whether it was to be replaced by a reader's.
  bool may_read = false;
  /// Whether the reader's was deleted, in case that it was.
  bool reader_removed = false;
  /// Whether it is to be replaced by so many permits, and for which acquisition.
  std::uint32_t taking = 0;
  acquisition_id taker = 0;
  /// Whether it was not replaced, and is in line again.
  bool is_back = false;
  std::size_t deletes = 0;
  bool removed = false;
  sequence number = -1;
  /// The acquisition that holds by it, and which turn comes next.
  acquisition_id holder = 0;
  std::uint32_t turns = 0;
  /// Whether the client has heard that another client wants the lock, or caches no entries and so
  /// does not know; and how many turns the client has granted since.
  bool is_contended = false;
  std::uint32_t turns_since = 0;
  /// Whether the client has heard that its release was asked for.
  bool is_requested = false;
  /// The data of its node, and whether its client has to change the data.
  std::string identity = common_identity;
  bool is_renamed = false;
  /// How many acquisitions there had been when it was asked for.
  acquisition_id asked = 0;
};

/// Checks the actions of a queue, and the notifications to its callers.
class conduct {
 public:
  /// `caches`: the queue caches entries.
  conduct(const ensemble& truth, std::size_t directory, std::size_t permits, const plan& plan,
          bool caches);

  std::map<acquisition_id, attempt>& attempts() noexcept { return attempts_; }
  const std::map<acquisition_id, attempt>& attempts() const noexcept { return attempts_; }
  attempt* find(acquisition_id id) noexcept;
  requested_entry* find_requested(entry_id id) noexcept;
  /// Whether its node, where it exists, is of no use to the queue.
  bool is_left_behind(entry_id id) const noexcept {
    const auto found = requested_.find(id);
    return found != requested_.end() && found->second.left_behind;
  }

  void acquired(acquisition_id id, zklock::queue::lock_mode asked, bool tries, std::size_t caller);
  void released(attempt& attempt) noexcept;
  /// Its hold gets another identity.
  void renamed(attempt& attempt, std::string identity);
  /// The permits that are being taken for an acquisition are for another acquisition of its demand.
  void passes_permits(attempt& from, attempt& to) noexcept;
  void created(entry_id id, sequence number);
  void connected(session_id session) noexcept;
  void disconnected() noexcept {
    connected_ = listing_ = making_parents_ = recovering_ = listing_permits_ = false;
  }
  enum class list_kind : std::uint8_t {
    plain,
    watching,
    /// A list that settles the requests in flight of a lost connection; it may have failed.
    recovering
  };
  void listed(list_kind kind, bool settled, const std::vector<node_id>& children) noexcept;
  /// The watch on the list has fired.
  void line_changed() noexcept;
  /// The client has heard that an entry is gone.
  void entry_gone(std::string_view name) noexcept;
  void taken(entry_id id, bool ok) noexcept;
  void permits_listed() noexcept { listing_permits_ = false; }
  void limited(std::uint32_t limit) noexcept { limit_ = limit; }
  void parents_made() noexcept { making_parents_ = false; }

  /// Fails if an acquisition that holds has not heard the outcome of its downgrade.
  void check_downgrades() const;

  /// The node of an entry, in truth.
  node_id node_of(entry_id id) const;

  /// Whether an entry is in line, or holds, for an acquisition of this client.
  bool stands(entry_id id) noexcept;

  /// Whether the directory that the client knows is gone, and the client has not heard of that.
  void is_misled(bool is) noexcept { is_misled_ = is; }

  /// Whether the outcome of the entry's create, delete or replacement is unconfirmed.
  bool is_open(entry_id id) const noexcept {
    const auto it = requested_.find(id);
    return it != requested_.end() &&
           (it->second.in_flight ||
            ((it->second.deletes != 0 || it->second.may_read) && !it->second.removed));
  }

  /// An action of the queue, which was told that the session is `proven` or not.
  void check(const action& action, bool proven);

  /// Fails if more entries are in line than acquisitions, not counting entries that hand-overs
  /// leave.
  void check_line(const zklock::queue::lock_queue& queue) const;

  /// Fails if an entry is cached although the client has heard a request for its release, or the
  /// entry has an identity of its own.
  void check_cached(const zklock::queue::lock_queue& queue) const;

  /// Fails if an entry is in a state that cannot occur.
  static void check_states(const zklock::queue::lock_queue& queue);

  /// Gives to `to` the state of the callers and of later checks, without notes of entries that are
  /// gone.
  template <class Writer>
  void describe(Writer& to, const zklock::queue::lock_queue& queue) const {
    to.value(attempts_.size());
    for (const auto& [id, one] : attempts_)
      describe(to, one);
    bool in_flight = false;
    for (const auto& [id, one] : requested_) {
      in_flight |= one.in_flight;
      if (one.in_flight || attempts_.contains(one.holder) || queue.entries().contains(id) ||
          node_of(id) != no_such_node)
        describe(to, id, one);
    }
    to.value(in_flight ? given_up_ : 0);
    to.value(connected_);
    to.value(listing_);
    to.value(listing_permits_);
    to.value(is_watching_);
    to.value(limit_);
    to.value(recovering_);
    to.value(making_parents_);
  }

 private:
  template <class Writer>
  void describe(Writer& to, const attempt& one) const {
    to.caller(one.id);
    to.value(one.wants);
    to.value(one.tries);
    to.value(one.wanted);
    to.value(one.permits.size());
    for (const auto permit : one.permits)
      to.node(permit);
    to.value(one.taking);
    const auto since = std::max(
        ensemble_.last_occupied(directory_),
        permits_ < ensemble_.truth().directories() ? ensemble_.last_occupied(permits_) : 0);
    to.value(one.tries && !one.has_company && since < one.since);
    // Entries that get in line from now on have a later token.
    const auto& line = ensemble_.truth().at(directory_).children;
    if (one.wants == role::shared)
      to.value(std::count_if(line.begin(), line.end(), [&](node_id child) {
        return static_cast<std::size_t>(ensemble_.at(child).token) <= one.since;
      }));
    to.value(one.held);
    to.value(one.released);
    to.value(one.asked_to_read);
    to.value(one.downgrading);
    to.entry(one.entry);
    to.node(one.node);
  }

  template <class Writer>
  void describe(Writer& to, entry_id id, const requested_entry& one) const {
    to.entry(id);
    to.value(one.wants);
    to.value(one.in_flight);
    to.value(one.was_found);
    to.value(one.left_behind);
    to.value(one.may_read);
    to.value(one.reader_removed);
    to.value(one.taking);
    to.caller(one.taker);
    to.value(one.is_back);
    to.value(one.deletes);
    to.value(one.removed);
    to.value(one.number >= 0);
    to.caller(one.holder);
    to.value(std::min<std::uint32_t>(one.turns, 1));
    to.value(one.is_contended);
    to.value(one.turns_since);
    to.value(one.is_requested);
    // Acquisitions from now on are later than `asked`.
    to.value(std::distance(attempts_.begin(), attempts_.upper_bound(one.asked)));
  }

  bool passes_on() const noexcept { return plan_.handoffs != 0 || caches_; }
  void note_others(const std::vector<node_id>& children) noexcept;
  bool is_wanted_by_others(entry_id id, const requested_entry& entry) const noexcept;
  void check_turn(requested_entry& by, const action& action) const;
  void check_identity(const attempt& attempt, requested_entry& by, const action& action) const;
  void check_request(const action& action);
  void check_steady(const action& action);
  void settle_takes() noexcept;
  void check_create(const action& action);
  void check_identity(const action& action) const;
  void check_take(requested_entry& entry, const action& action);
  std::size_t permits_out() const;
  bool has_nodes(entry_id id) const;
  void note_permits(attempt& attempt, const action& action);
  void check_remove(requested_entry& entry, const action& action);
  void check_orphan_permit(const action& action);
  void check_orphan(const action& action);
  void check_refuse(const attempt& attempt, reason why) const;
  bool may_overtake(const attempt& one, const attempt& other) const;
  void check_grant(attempt& attempt, const action& action, bool proven);
  void trade_entries(requested_entry& by, acquisition_id holder);
  void check_downgraded(attempt& attempt, const action& action);
  void check_lose(const attempt& attempt, reason why) const;
  void check_forget(attempt& attempt, const action& action);
  std::size_t unheld_entries() const;

  const ensemble& ensemble_;
  const std::size_t directory_;
  const std::size_t permits_;
  const plan& plan_;
  const bool caches_;
  std::map<acquisition_id, attempt> attempts_;
  std::map<entry_id, requested_entry> requested_;
  session_id session_ = 0;
  acquisition_id last_acquisition_ = 0;
  /// The acquisitions that gave up, or were refused, while a create in flight may have been for
  /// them.
  std::size_t given_up_ = 0;
  std::size_t uses_ = 0;
  std::size_t lists_ = 0;
  bool connected_ = false;
  bool listing_ = false;
  bool listing_permits_ = false;
  /// Whether a watch tells of the next change of the line; and the nodes of the newest list of
  /// which the client has not heard that they are gone.
  bool is_watching_ = false;
  std::vector<node_id> listed_;
  /// The limit that the queue was told last.
  std::uint32_t limit_;
  bool recovering_ = false;
  bool is_misled_ = false;
  bool making_parents_ = false;
};

bool is_request(action::kind what) noexcept;
const char* to_string(action::kind what) noexcept;
const char* to_string(reason why) noexcept;

} // namespace simulation
