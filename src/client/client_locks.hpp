#pragma once

#include "client/cached_locks.hpp"
#include "client/deadlines.hpp"
#include "client/idle_locks.hpp"
#include "client/lock_in_use.hpp"
#include "client/lock_table.hpp"
#include "client/requester.hpp"
#include "client/room_claims.hpp"
#include "client/unused_directories.hpp"
#include "client/watch_registry.hpp"
#include "queue/node_budget.hpp"

#include <boost/asio/steady_timer.hpp>

#include <list>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

class client_impl;

/// The locks that a client uses or remembers, and what their queues share: the token of the
/// session, the ids, the watches, the memory, and the budget of node paths. Used on the client's
/// strand only.
///
/// Invariant: a lock that is in use is in the table, and nothing here refers to a lock that is not.
class client_locks final : public requester {
 public:
  explicit client_locks(client_impl& client);

  client_locks(const client_locks&) = delete;
  client_locks& operator=(const client_locks&) = delete;

  /// Returns a lock, which the client knows from now on. Null where the client uses the path, or a
  /// directory of the lock, as another lock.
  lock_in_use* use(const std::shared_ptr<const lock_definition>& lock);

  /// Serves the acquisitions that have come to a lock's line.
  void look(const std::shared_ptr<const lock_definition>& lock);
  /// Called after all that may prove the session, end a hold, or make way for another kind of lock:
  /// looks at the lines again whose acquisitions wait for that.
  void look_again();

  /// The deadlines of a lock's acquisitions have changed.
  void watch_deadlines(const lock_definition& lock);

  /// Returns the lock of an acquisition; null where the client does not know it.
  lock_in_use* find(const acquisition& c) const noexcept { return table_.find(c.path()->line); }
  /// Whether the servers have confirmed that an acquisition is in line, or it waits for room.
  bool in_line(const acquisition& c) const noexcept;

  /// Returns an id for an acquisition of a queue: higher than all before.
  queue::acquisition_id next_acquisition() noexcept { return ++last_acquisition_; }

  const lock_table& table() const noexcept { return table_; }

  /// Whether any lock is held or waited for.
  bool in_use() const noexcept;

  /// Whether nodes of entries may exist.
  bool own_nodes() const noexcept;

  cached_locks& cached() noexcept { return cached_; }
  const cached_locks& cached() const noexcept { return cached_; }

  /// Called after each event of a lock.
  void settle(lock_in_use& used);

  /// Called from time to time: forgets some of the locks that are not used for long. Each has a
  /// watch at the server.
  void forget_unused();

  // Room for several locks.

  /// Reserves room for those of these locks that the owner, if there is one, does not hold yet.
  void reserve(const std::vector<lock_request>& wanted, std::uint64_t owner,
               std::chrono::nanoseconds timeout, room_claims::operation_type op);
  /// A caller of several locks does not need the rest of its room.
  void give_back_room(std::size_t bytes);
  /// Called after each event of a user of the budget.
  void settle(queue::room_user& user);
  room_claims& claims() noexcept { return claims_; }

  // Events of the session.
  void connected(bool is_new);
  void disconnected();
  void expired(queue::reason why);
  /// Bodies that rely on holds may have to end earlier.
  void hurry_bodies();
  void watch_fired(std::string_view path, zookeeper::watch_event event);
  /// The release of a hold of this client was asked for by that node.
  void release_requested(const lock_definition& lock, std::string_view node);
  /// A node of a lock was found missing: a hold of this client by that node is lost.
  void node_gone(const lock_definition& lock, std::string_view node);
  /// A node of an entry was found missing. The lock may be forgotten, or another one, by now.
  void missing(const lock_definition& lock, queue::entry_id entry, queue::form node);

  /// Whether an ephemeral node of the session belongs to an entry, may do so, or is none of the
  /// locks'.
  bool accounts_for(std::string_view node) const;

  /// Ends all acquisitions, and forgets all locks. Returns the acquisitions, of which nodes may be
  /// left in ZooKeeper.
  std::vector<std::shared_ptr<acquisition>> end_all(errc why);

  /// The execution context is being destroyed. Returns the locks with their acquisitions, to be
  /// destroyed when nothing of the client is used any more.
  lock_table abandon() noexcept;

  // requester
  void send(zookeeper::request what, zookeeper::receiver& to) override;
  void remove_watch(const std::string& path, zookeeper::watch_kind kind) override;
  bool proven() noexcept override;
  void when_proven(lock_driver& waiting) override;
  std::int64_t ephemeral_owner() const noexcept override;
  queue::session_token token() const noexcept override { return token_; }
  queue::entry_id& last_entry() noexcept override { return last_entry_; }
  watch_registry& watches() noexcept override { return watches_; }
  const std::string& identity() const noexcept override;
  bool containers() const noexcept override;
  void log_error(const std::string& line) override;

 private:
  bool make_way(const lock_definition& lock);
  bool clear_way(const lock_definition& lock);
  void refuse_all(lock_line& line, error_code why);
  void look_again_at(const std::shared_ptr<const lock_definition>& lock);
  void forget(lock_in_use& used);
  void serve_later();
  void try_again_later();
  void try_again();

  client_impl& client_;
  queue::session_token token_;
  queue::acquisition_id last_acquisition_ = 0;
  queue::entry_id last_entry_ = 0;
  queue::node_budget budget_;
  // Of all queues.
  std::pmr::unsynchronized_pool_resource memory_;
  lock_table table_;
  watch_registry watches_;
  unused_directories unused_;
  idle_locks idle_;
  cached_locks cached_;
  room_claims claims_;
  // The locks whose acquisitions wait for a proof of the session, or for another kind of lock to
  // make way.
  std::list<line_watch> again_;
  bool looking_again_ = false;
  // Gone with the execution context.
  std::optional<boost::asio::steady_timer> again_timer_;
  bool serving_ = false;
  bool trying_again_ = false;
};

} // namespace zklock::detail
