#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/detail/lock_request.hpp>
#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/hold.hpp>
#include <zklock/multi_hold.hpp>

#include "client/lock_definition.hpp"
#include "client/operation.hpp"
#include "queue/entry.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

class client_state;
class directory;
class query;

namespace intrusive = boost::intrusive;
using auto_unlink = intrusive::link_mode<intrusive::auto_unlink>;

/// One acquire: from its start, over the time in which the lock is held, until nothing of it is
/// left. Waiters and holds are views of it.
///
/// Everything but what is atomic, and what does not change once the lock is held, is touched on
/// the client's strand only.
class acquisition : public std::enable_shared_from_this<acquisition> {
 public:
  enum class phase { waiting, held, lost, ended };
  using time_point = std::chrono::steady_clock::time_point;

  /// What the name of a node is made of.
  struct place {
    queue::session_token session;
    queue::entry_id entry = 0;
    std::string_view label;
    queue::sequence number = 0;
    /// By so many permits it holds; 0: by its entry.
    std::uint32_t permits = 0;
  };

  /// What few acquires want.
  struct extras {
    std::chrono::nanoseconds hold_limit;
    std::uint64_t owner = 0;
    queued_function queued;
    /// Until when it may be held.
    time_point end{};
  };

  acquisition(lock_request wanted, handler<acquire_signature> handler,
              std::unique_ptr<extras> more);

  const std::shared_ptr<client_state>& client() const noexcept { return client_; }
  const std::shared_ptr<const lock_definition>& path() const noexcept { return path_; }
  queue::demand wanted() const noexcept { return wanted_; }
  extras* more() const noexcept { return more_.get(); }
  std::uint64_t owner() const noexcept { return more_ ? more_->owner : 0; }
  pending_handler<error_code, hold>& waiter() noexcept { return waiter_; }

  phase current() const noexcept { return phase_.load(std::memory_order_acquire); }
  fencing_token token() const noexcept { return token_; }
  /// The path of the node by which it holds, or held; of several permits the first.
  std::string node() const;
  /// How many nodes it holds by.
  std::uint32_t nodes() const noexcept { return by_.permits == 0 ? 1 : by_.permits; }
  /// The path of one of them.
  std::string node(std::uint32_t index) const;

  /// The entry by which it holds, or held.
  queue::entry_id entry() const noexcept { return by_.entry; }

  /// Completes the acquire with a hold. Release requests up to the version `told` of the entry's
  /// data were meant for former holders by that entry.
  void grant(fencing_token token, const place& by, std::int32_t told);

  /// Completes the acquire with one more hold of an acquisition of the same owner.
  void grant_shared(const std::shared_ptr<acquisition>& held);

  /// Completes the acquire with an error.
  void refuse(error_code why);

  /// The hold is over, though nobody released it.
  void lose(error_code why);

  /// The same owner acquired it once more, and holds it until as many holds are released.
  void share() noexcept { ++shares_; }
  /// One of the holds was released. Returns whether it was the last one.
  bool unshare() noexcept { return --shares_ == 0; }

  /// The hold was released.
  void end();

  /// What it holds; a writer that is about to read counts as a reader already.
  queue::demand held() const noexcept;
  /// It does not write any more, or it could not be made to read.
  void downgraded(error_code result);
  /// Waits until it reads, or returns why it will not.
  error_code when_downgraded(operation<error_code> op);

  /// Nothing is left of the entry: completes those who wait for that.
  void forget(error_code result);

  bool forgotten() const noexcept { return forgotten_; }

  void when_forgotten(operation<error_code> op);
  void when_lost(operation<error_code, error_code> op);
  void when_unproven(operation<error_code> op);

  /// Ends the waits that `when_unproven` began.
  void unproven(error_code why);

  /// Ends one of the waits above, where it is under way.
  void cancel(const operation<error_code>& op);
  void cancel(const operation<error_code, error_code>& op);

  /// Ends a query when the hold is over. Returns whether it is not over yet.
  bool watch_over(const std::shared_ptr<query>& added);

  /// Up to which version of its node's data requests to let go were told.
  std::int32_t told() const noexcept { return attention_ ? attention_->told : 0; }
  void tell(std::int32_t version);

  /// Why the hold is lost, or that it was released.
  error_code why_over() const noexcept;

  /// The execution context is gone, and the hold with it. Completes the handlers that have an
  /// executor of another one, and destroys the others without calling them.
  void drop() noexcept;

  /// Links it with the others that have a deadline, and with those that wait to be unproven.
  intrusive::set_member_hook<auto_unlink> deadline_hook;
  intrusive::list_member_hook<auto_unlink> doubt_hook;

  // Set by the client when the acquisition starts, and used by it and the directory only.
  queue::acquisition_id id = 0;
  directory* in = nullptr;
  time_point deadline = time_point::max();
  bool trying = false;

  // Holds on their way to the strand that takes them back: how many of this acquisition, the
  // acquisition that was given back before it, and what keeps it alive meanwhile.
  std::atomic<std::uint32_t> returned{0};
  acquisition* returned_before = nullptr;
  std::shared_ptr<acquisition> kept_alive;

 private:
  // What few holders want: to know who asks for the lock.
  struct attention {
    std::int32_t told = 0;
    std::vector<std::weak_ptr<query>> queries{};
  };

  void complete_losses(error_code result, error_code why);
  void end_questions(error_code why);

  const std::shared_ptr<client_state> client_;
  const std::shared_ptr<const lock_definition> path_;
  const std::unique_ptr<extras> more_;
  queue::demand wanted_;
  std::uint32_t shares_ = 1;
  // A writer that has become a reader, and one that is about to, whether that is waited for or not.
  std::atomic<bool> reads_{false};
  bool downgrading_ = false;
  pending_handler<error_code, hold> waiter_;
  std::atomic<phase> phase_{phase::waiting};
  fencing_token token_;
  place by_{};
  error_code lost_why_;
  error_code forgotten_result_;
  bool forgotten_ = false;
  operation<error_code> release_;
  operation<error_code> downgrade_;
  std::vector<operation<error_code, error_code>> losses_;
  std::vector<operation<error_code>> proofs_;
  std::unique_ptr<attention> attention_;
};

/// Makes holds out of acquisitions and looks into them.
struct hold_access {
  static hold make(std::shared_ptr<acquisition> c) noexcept { return hold(std::move(c)); }
  static multi_hold make(std::vector<hold> all) noexcept { return multi_hold(std::move(all)); }
  static const std::shared_ptr<acquisition>& claim_of(const hold& h) noexcept {
    return h.acquisition_;
  }
  static std::shared_ptr<acquisition> take(hold& h) noexcept { return std::move(h.acquisition_); }
};

} // namespace zklock::detail
