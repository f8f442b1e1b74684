#pragma once

#include <zklock/fencing_token.hpp>
#include <zklock/hold.hpp>
#include <zklock/participant.hpp>

#include "deterministic/kernel/process.hpp"
#include "plan.hpp"
#include "statistics.hpp"
#include "trace.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace deterministic {

/// The acquire of a lock by a program.
struct lock_use {
  std::string path;
  zklock::participant_role role = zklock::participant_role::exclusive;
  std::int64_t permits = 1;
  /// The id of the owner; 0 without an owner. All holds of an owner are a single hold.
  std::uint64_t owner = 0;
  time_point asked{};
  /// The highest token of all holds that had ended when this hold was asked for, and of all such
  /// exclusive holds.
  zklock::fencing_token asked_after{};
  zklock::fencing_token asked_after_writers{};
  /// For how long a hold is proven at least when it is granted.
  std::chrono::nanoseconds ahead{0};
  /// The identity that its entry is to have; empty: the identity of the client.
  std::string identity{};
};

/// Sees the holds of all processes simultaneously, and decides which may be valid together.
class referee {
 public:
  /// `violated` is called with each rule that was broken.
  referee(trace& trace, statistics& statistics, std::function<void(const std::string&)> violated)
      : trace_(trace), statistics_(statistics), violated_(std::move(violated)) {}
  referee(const referee&) = delete;
  referee& operator=(const referee&) = delete;

  void use_clock(const event_loop& clock) noexcept { clock_ = &clock; }
  /// Nothing goes wrong that brings a hold in doubt.
  void expect_no_doubt() noexcept { may_doubt_ = false; }
  /// A handler takes until `due`. It takes longer if another process ends inside of the handler and
  /// waits for a body on another loop: any hold may be in doubt then.
  void stalled_until(time_point due) noexcept { stall_ends_ = due; }
  /// Clients keep the entries of readers: tokens of readers then say nothing about other readers.
  void expect_old_readers() noexcept { may_keep_readers_ = true; }

  /// A hold that a program relies on, from its grant until it begins to release it. The hold must
  /// stay where it is meanwhile.
  class watch {
   public:
    /// A body of `with_lock` counts on its hold for as long as it runs, whether or not it owns the
    /// lock, unless its process or its loop cannot go on. `on` is its loop; null for the client's.
    watch(referee& by, const zklock::hold& hold, lock_use use, const process& where, bool is_body,
          const loop* on = nullptr);
    ~watch();
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

    void downgraded();

   private:
    referee& by_;
    std::list<watch*>* const holds_;
    std::list<watch*>::iterator position_;
    const zklock::hold& hold_;
    lock_use use_;
    const process& where_;
    const bool is_body_;
    const loop* const on_;
    const zklock::fencing_token token_;
    const time_point since_;
    zklock::hold_state state_ = zklock::hold_state::held;
    /// The entry was deleted by another session: only the token protects then.
    bool is_broken_ = false;
    /// Until when only the token protects, since its client may not have heard of such a deletion,
    /// if that may be so.
    std::optional<time_point> is_misled_until_;

    friend class referee;
    bool is_of(std::string_view node) const;
    bool is_misled() const noexcept { return is_misled_until_.has_value(); }
    bool is_valid() const noexcept;
    /// The hold was granted by data that the servers have lost.
    bool is_old() const noexcept;
    bool counts() const noexcept;
    time_point runs_since() const noexcept;
    std::string name() const;
  };

  /// Notes the highest tokens of the holds that have ended.
  void note_ended(lock_use& asked);

  /// The limit of a semaphore may be as high as this from now on.
  void limit_may_be(const std::string& path, std::int64_t limit);

  /// A program is about to have the node deleted.
  void may_be_broken(std::string_view node) { targets_.emplace(node); }
  /// Whether a program has asked to delete the node, or another node of its acquire.
  bool is_target(std::string_view node) const;
  /// The node was made while its client may not have heard that an earlier node of its own was
  /// deleted, and the directory after that: it knows the line of the deleted directory. It hears of
  /// the deletion before so much time has passed since a grant.
  void may_mislead(std::string_view node, std::chrono::nanoseconds time_to_hear) {
    misleading_.emplace(node, time_to_hear);
  }
  bool is_misled(std::string_view node) const { return misleading_.contains(node); }
  /// The node is deleted, by its own session or by another session.
  void deleted(std::string_view node, bool by_its_own);
  /// The servers have deleted the node since its session expired.
  void expired(std::string_view node);

  /// Tells the transaction in which a node of the servers was made; 0 without the node.
  void use_nodes(std::function<std::int64_t(std::string_view)> made) { made_ = std::move(made); }
  /// The servers have come back with older data: tokens go back. A hold of the time before counts
  /// no more; nor does a hold by an entry that the servers lack, until its client has noticed.
  void rolled_back() noexcept;
  bool was_rolled_back_since(time_point then) const noexcept {
    return rolled_back_at_ && *rolled_back_at_ >= then;
  }

  /// Looks for holds that are valid and exclude each other.
  void look();

  bool empty() const noexcept;

 private:
  struct record {
    std::list<watch*> holds;
    zklock::fencing_token ended{};
    zklock::fencing_token writers_ended{};
    zklock::fencing_token exclusive{};
    zklock::fencing_token shared{};
    std::int64_t limit = 0;
  };

  void check_token(record& lock, const watch& granted);
  void check_number(const watch& granted) const;
  void check_proof(const watch& granted) const;
  void check_node(const watch& granted) const;
  void check(const std::string& path, const record& lock) const;
  void follow(watch& one);

  void violated(const std::string& what) const { violated_(what); }

  trace& trace_;
  statistics& statistics_;
  const std::function<void(const std::string&)> violated_;
  const event_loop* clock_ = nullptr;
  std::function<std::int64_t(std::string_view)> made_;
  std::optional<time_point> rolled_back_at_;
  bool may_doubt_ = true;
  time_point stall_ends_ = clock::never;
  bool may_keep_readers_ = false;
  std::map<std::string, record, std::less<>> locks_;
  /// The nodes that programs have deleted.
  std::vector<std::string> broken_;
  std::set<std::string, std::less<>> targets_;
  std::map<std::string, std::chrono::nanoseconds, std::less<>> misleading_;
};

} // namespace deterministic
