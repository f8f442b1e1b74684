#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/detail/lock_request.hpp>
#include <zklock/error.hpp>
#include <zklock/hold.hpp>
#include <zklock/hold_state.hpp>
#include <zklock/multi_hold.hpp>

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/held_entry.hpp"
#include "client/hold_release.hpp"
#include "client/hold_waits.hpp"
#include "client/line_member.hpp"
#include "client/lock_definition.hpp"
#include "client/lock_log.hpp"
#include "client/observation.hpp"
#include "client/operation.hpp"
#include "queue/entry.hpp"

#include <boost/asio/error.hpp>

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
class lock_in_use;
class reserved_room;
class stop_watch;

/// The owner of the acquisitions and locks of a client, told of their events on the strand.
class lock_surroundings {
 public:
  client_core& core() const noexcept { return core_; }
  client_session& session() const noexcept { return session_; }
  /// The counters of acquisitions that have reached no lock.
  lock_counters& uncounted() const noexcept { return uncounted_; }

  /// An acquisition neither waits for the lock nor holds it any more, for a reason of the queue.
  virtual void on_left(const acquisition& c, queue::reason why) noexcept = 0;
  /// A hold has got a limit.
  virtual void on_limited(const acquisition& c) = 0;
  /// The node of a hold has the identity of another acquisition.
  virtual void on_misnamed(acquisition& c) = 0;

  /// A cached entry is held on the fast path from now on.
  virtual void entry_used() noexcept = 0;
  /// A line was closed while its entry was held on the fast path.
  virtual void entry_unused(lock_in_use& in) = 0;
  /// An event of a lock has been processed, with all actions that followed.
  virtual void settled(lock_in_use& used) = 0;

 protected:
  lock_surroundings(client_core& core, client_session& session, lock_counters& uncounted) noexcept
      : core_(core), session_(session), uncounted_(uncounted) {}
  ~lock_surroundings() = default;

 private:
  client_core& core_;
  client_session& session_;
  lock_counters& uncounted_;
};

/// A call of acquire: waits for the lock, holds the lock, and ends once none of its nodes is left.
/// The hold that the call returns refers to the acquisition. Used on the client's strand only,
/// except the functions that are marked, and the members that do not change while the lock is held.
/// Invariant: the handler is completed once, and the phase only moves forward.
class acquisition final : public line_member, public std::enable_shared_from_this<acquisition> {
 public:
  enum class phase : std::uint8_t { waiting, held, lost, ended };

  /// Options that few acquires use.
  struct extras {
    std::chrono::nanoseconds hold_limit;
    std::uint64_t owner = 0;
    /// See `acquire_options::cache`.
    bool cache = true;
    /// Null for the client's identity.
    queue::identity_pointer identity;
    std::function<void(std::size_t)> queued;
    std::shared_ptr<observation> observed;
    /// The room of a caller of several locks.
    std::weak_ptr<reserved_room> room;
    /// When the hold limit is reached. Does not change while the lock is held.
    time_point end = time_point::max();
    /// Of an acquire by an owner that holds the lock already: the acquisition that holds the lock.
    std::shared_ptr<acquisition> holder{};
  };

  acquisition(lock_surroundings& around, lock_request wanted, handler<acquire_signature> handler,
              std::unique_ptr<extras> more);
  ~acquisition();

  // Any thread.

  /// Whether a taken lock is the answer to the acquire, and no error. Set when the acquisition
  /// begins.
  bool answers = false;

  /// Keeps the client alive.
  const std::shared_ptr<lock_calls>& client() const noexcept { return client_; }
  client_core& core() const noexcept { return around_.core(); }
  client_session& session() const noexcept { return around_.session(); }
  const std::shared_ptr<const lock_definition>& path() const noexcept { return path_; }
  /// The acquisition that holds the lock for the hold of this acquire.
  acquisition& holder() noexcept { return more_ && more_->holder ? *more_->holder : *this; }
  phase current() const noexcept { return phase_.load(std::memory_order_acquire); }
  /// The state of its holds.
  hold_state state() const noexcept;
  /// Why the hold ended.
  error_code why_over() const noexcept {
    return current() == phase::lost ? lost_why_ : error_code(asio::error::operation_aborted);
  }
  /// The entry that is or was held.
  const held_entry& entry() const noexcept { return entry_; }
  /// The path of a node that is or was held; `index` is less than the number of nodes.
  std::string node(std::uint32_t index = 0) const { return entry_.node(*path_, index); }

  /// The stop watch of the hold; null if the program has not asked for it.
  std::shared_ptr<stop_watch> stops() const noexcept;
  /// Makes the stop watch unless there is one, and returns whether it was made.
  bool make_stops();

  // Any thread, but for functions that belong to the strand.
  hold_release& release() noexcept { return release_; }
  hold_waits& waits() noexcept { return waits_; }

  // When the acquisition begins, and then on the strand.
  extras* more() const noexcept { return more_.get(); }
  pending_handler<error_code, hold>& waiter() noexcept { return waiter_; }

  // The strand.

  /// The mode that is held; a writer whose downgrade has begun counts as a reader.
  queue::lock_mode held() const noexcept;

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
  void refuse(error_code why);
  void lose(error_code why);
  /// The hold was released. Completes the operation, if not null, once no node is left.
  void end(operation<error_code> op);
  /// Begins a downgrade that completes the operation, or returns why the downgrade cannot begin.
  error_code begin_downgrade(operation<error_code> op);
  /// No node is left: completes the release.
  void forget(error_code result);
  /// Notes that release requests up to this version are delivered. Returns false if the version was
  /// noted before.
  bool note_request(std::int32_t version);

  /// The execution context is gone, and the hold with it. Completes the handlers that run in
  /// another context, and destroys all other handlers without a call.
  void drop() noexcept;

 private:
  observation* observed() const noexcept { return more_ ? more_->observed.get() : nullptr; }
  void complete(error_code why, hold held);
  void not_granted(error_code why);
  void hold_lost(error_code why);

  lock_surroundings& around_;
  const std::shared_ptr<lock_calls> client_;
  const std::shared_ptr<const lock_definition> path_;
  const std::unique_ptr<extras> more_;
  std::atomic<phase> phase_{phase::waiting};
  // Set before the phase is `lost`, and not changed after that.
  error_code lost_why_;
  pending_handler<error_code, hold> waiter_;
  held_entry entry_;
  hold_release release_;
  hold_waits waits_;
  // Null until the program asks for the stop token.
  std::atomic<const std::shared_ptr<stop_watch>*> stops_{nullptr};
};

/// The owner of an acquisition; 0 if it has none.
inline std::uint64_t owner_of(const acquisition& c) noexcept {
  return c.more() ? c.more()->owner : 0;
}

/// The hold of an acquisition as the log shows it.
logged_hold logged(const acquisition& c);

/// Converts between holds and acquisitions.
struct hold_access {
  static hold make(std::shared_ptr<acquisition> c) noexcept { return hold(std::move(c)); }
  static multi_hold make(std::vector<hold> all) noexcept { return multi_hold(std::move(all)); }
  /// The acquisition of the acquire that returned the hold.
  static const std::shared_ptr<acquisition>& own_of(const hold& h) noexcept {
    return h.acquisition_;
  }
};

} // namespace zklock::detail
