#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/clock.hpp>
#include <zklock/detail/lock_request.hpp>
#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/hold.hpp>
#include <zklock/hold_state.hpp>
#include <zklock/multi_hold.hpp>

#include "client/boot_timer.hpp"
#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/line_member.hpp"
#include "client/lock_definition.hpp"
#include "client/lock_log.hpp"
#include "client/observation.hpp"
#include "client/operation.hpp"
#include "queue/entry.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zklock::detail {

class acquisition;
class lock_calls;
class lock_counters;
class query;
class reserved_room;

/// The client of acquisitions, told of their events on its strand.
class acquisition_surroundings {
 public:
  client_core& core() const noexcept { return core_; }
  client_session& session() const noexcept { return session_; }
  /// The counters of acquisitions that have reached no lock.
  lock_counters& uncounted() const noexcept { return uncounted_; }

  /// The queue refuses an acquisition.
  virtual void on_refused(const acquisition& c, queue::reason why) = 0;
  /// The acquisition of an owner neither waits for the lock nor holds it any more.
  virtual void on_left(const acquisition& c) noexcept = 0;
  /// A hold has got a limit.
  virtual void on_limited(const acquisition& c) = 0;

 protected:
  acquisition_surroundings(client_core& core, client_session& session,
                           lock_counters& uncounted) noexcept
      : core_(core), session_(session), uncounted_(uncounted) {}
  ~acquisition_surroundings() = default;

 private:
  client_core& core_;
  client_session& session_;
  lock_counters& uncounted_;
};

/// A call of acquire. The acquisition waits for the lock, holds the lock, and ends once none of its
/// nodes is left. The hold that the call returns refers to the acquisition.
///
/// An acquire by an owner that holds the lock already is reentrant: its acquisition refers to the
/// acquisition that holds the lock.
///
/// Used on the client's strand only, except the atomic members and the members that do not change
/// while the lock is held.
class acquisition final : public line_member, public std::enable_shared_from_this<acquisition> {
 public:
  enum class phase : std::uint8_t { waiting, held, lost, ended };

  /// Options that few acquires use.
  struct extras {
    std::chrono::nanoseconds hold_limit;
    std::uint64_t owner = 0;
    queued_function queued;
    std::shared_ptr<observation> observed;
    /// The room of a caller of several locks.
    std::weak_ptr<reserved_room> room;
    /// When the hold limit is reached. Does not change while the lock is held.
    time_point end = time_point::max();
    /// Of a reentrant acquire: the acquisition that holds the lock; null otherwise.
    std::shared_ptr<acquisition> holder{};
  };

  /// `may_keep`: see `acquire_options::keep`.
  acquisition(acquisition_surroundings& around, lock_request wanted,
              handler<acquire_signature> handler, bool may_keep, std::unique_ptr<extras> more);

  /// The calls of the client, which the acquisition keeps alive.
  const std::shared_ptr<lock_calls>& client() const noexcept { return client_; }
  client_core& core() const noexcept { return around_.core(); }
  client_session& session() const noexcept { return around_.session(); }
  const std::shared_ptr<const lock_definition>& path() const noexcept { return path_; }
  extras* more() const noexcept { return more_.get(); }
  /// Whether the entry may be cached or handed over when the hold ends. The entry of a lost hold
  /// may not.
  bool may_keep() const noexcept { return may_keep_ && current() != phase::lost; }
  std::uint64_t owner() const noexcept { return more_ ? more_->owner : 0; }
  pending_handler<error_code, hold>& waiter() noexcept { return waiter_; }

  phase current() const noexcept { return phase_.load(std::memory_order_acquire); }
  /// The state of its holds. Any thread.
  hold_state state() const noexcept;
  fencing_token token() const noexcept { return {by_.czxid, by_.turn}; }
  /// The path of the node that is or was held; of several permits the first.
  std::string node() const;
  /// The number of nodes held.
  std::uint32_t nodes() const noexcept { return by_.permits == 0 ? 1 : by_.permits; }
  /// The path of a held node; `index` is less than `nodes()`.
  std::string node(std::uint32_t index) const;

  /// The hold as the log shows it.
  logged_hold logged() const;

  /// The entry that is or was held.
  queue::entry_id entry() const noexcept { return by_.entry; }

  // Called by the lock's line.
  std::shared_ptr<line_member> shared() noexcept override { return shared_from_this(); }
  bool is_proven() const noexcept override;
  void granted_fast(const grant& by, time_point now) noexcept override;
  void complete_fast() override;
  void ended_fast(time_point now) noexcept override;
  void counts_in(lock_counters& locks) noexcept override;
  bool take_room() override;
  void granted(const grant& by) override;
  void downgraded(queue::reason why) override;
  void refused(queue::reason why) override;
  void lost(queue::reason why) override;
  void forgotten(queue::reason why) override;

  /// Completes the acquire with a further hold of `held`, by which the owner holds the lock.
  void grant_shared(const std::shared_ptr<acquisition>& held);

  // Any thread.

  /// The acquisition that holds the lock for the hold of this acquire.
  acquisition& holder() noexcept { return more_ && more_->holder ? *more_->holder : *this; }
  /// Marks the hold of this acquire as released. Returns false if the hold was released before.
  bool mark_released() noexcept { return !released_.exchange(true, std::memory_order_acq_rel); }
  bool is_released() const noexcept { return released_.load(std::memory_order_acquire); }

  /// Completes the acquire with an error.
  void refuse(error_code why);

  /// Ends the hold before it is released.
  void lose(error_code why);

  /// Adds a hold of the owner, which must be released, too.
  void share() noexcept { ++shares_; }
  /// Removes a released hold of the owner. Returns whether no hold is left.
  bool unshare() noexcept { return --shares_ == 0; }

  /// The hold was released.
  void end();

  /// The mode that is held; a writer whose downgrade has begun counts as a reader.
  queue::lock_mode held() const noexcept;
  /// The downgrade has ended.
  void downgraded(error_code result);
  /// Begins a downgrade that completes the operation, or returns why the downgrade cannot begin.
  error_code when_downgraded(operation<error_code> op);

  /// No node is left: completes the release.
  void forget(error_code result);

  bool forgotten() const noexcept { return forgotten_; }

  void when_forgotten(operation<error_code> op);
  void when_lost(operation<error_code, error_code> op);

  /// When a body must end that relies on the hold of this acquire, and why.
  struct body_end {
    boot_clock::time_point time;
    error_code why;
  };
  /// Returns when and why such a body must end; the clock's maximum if the hold is released. Any
  /// thread.
  body_end end_of_body() noexcept;
  /// Adds the timer of a body that relies on the hold. The timer also expires when `end_of_body`
  /// becomes earlier.
  void watch_body(std::weak_ptr<boot_timer> body);
  /// `end_of_body` may have become earlier: has the timers of the bodies expire.
  void hurry_bodies();
  /// Cancels a release, a downgrade or a wait for the loss, if the operation is under way.
  void cancel(const operation<error_code>& op);
  void cancel(const operation<error_code, error_code>& op);

  /// Has a query fail once the hold ends. Returns false if the hold has ended.
  bool watch_over(const std::shared_ptr<query>& added);

  /// The version of the node's data up to which release requests were delivered.
  std::int32_t requests_until() const noexcept {
    return attention_ ? attention_->requests_until : 0;
  }
  /// Notes that release requests up to this version are delivered. Returns false if the version was
  /// noted before.
  bool note_request(std::int32_t version) noexcept;

  /// Why the hold ended.
  error_code why_over() const noexcept;

  /// The execution context is gone, and the hold with it. Completes the handlers that run in
  /// another context, and destroys all other handlers without a call.
  void drop() noexcept;

 private:
  // Members that few holds need: the operations, queries and bodies that wait for the hold's end,
  // and the release requests.
  struct attention {
    std::int32_t requests_until = 0;
    std::vector<std::weak_ptr<query>> queries{};
    std::vector<operation<error_code, error_code>> losses{};
    std::vector<std::weak_ptr<boot_timer>> bodies{};
  };

  attention& attend() {
    if (!attention_) attention_ = std::make_unique<attention>();
    return *attention_;
  }
  observation* observed() const noexcept { return more_ ? more_->observed.get() : nullptr; }
  void complete(error_code why, hold held);
  void leave_lock() noexcept;
  void complete(operation<error_code> released);
  void not_granted(error_code why);
  void hold_lost(error_code why);
  void complete_losses(error_code result, error_code why);
  void end_queries(error_code why);

  acquisition_surroundings& around_;
  const std::shared_ptr<lock_calls> client_;
  const std::shared_ptr<const lock_definition> path_;
  const std::unique_ptr<extras> more_;
  const bool may_keep_;
  std::atomic<bool> released_{false};
  std::uint32_t shares_ = 1;
  std::atomic<phase> phase_{phase::waiting};
  bool forgotten_ = false;
  // Whether the writer has become a reader, and whether a downgrade is under way.
  std::atomic<bool> reads_{false};
  bool downgrading_ = false;
  bool is_counted_ = false;
  pending_handler<error_code, hold> waiter_;
  grant by_{};
  error_code lost_why_;
  error_code forgotten_result_;
  operation<error_code> release_;
  operation<error_code> downgrade_;
  std::unique_ptr<attention> attention_;
};

/// Converts between holds and acquisitions.
struct hold_access {
  static hold make(std::shared_ptr<acquisition> c) noexcept { return hold(std::move(c)); }
  static multi_hold make(std::vector<hold> all) noexcept { return multi_hold(std::move(all)); }
  /// The acquisition of the acquire that returned the hold.
  static const std::shared_ptr<acquisition>& own_of(const hold& h) noexcept {
    return h.acquisition_;
  }
  /// The acquisition that holds the lock; null if the hold is empty.
  static std::shared_ptr<acquisition> acquisition_of(const hold& h) noexcept {
    return h.held() ? h.held()->shared_from_this() : nullptr;
  }
};

} // namespace zklock::detail
