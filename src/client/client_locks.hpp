#pragma once

#include "client/client_core.hpp"
#include "client/client_counters.hpp"
#include "client/client_session.hpp"
#include "client/lock_in_use.hpp"
#include "client/lock_table.hpp"
#include "client/remembered_locks.hpp"
#include "client/session_requester.hpp"
#include "client/session_room.hpp"
#include "client/unused_directories.hpp"

#include <memory>
#include <string_view>

namespace zklock::detail {

/// The locks that a client uses or remembers, with the requester, the memory and the room for node
/// paths that all their queues share. Gives the events of the session to the locks. Used on the
/// client's strand only.
///
/// The life of a lock: it is in the table from its first use until it was unused for a while; then
/// it is remembered, in little memory; at last it is forgotten, and the directories that the client
/// made for it are deleted.
///
/// Invariant: a lock that is in use is in the table, and nothing here refers to a lock in use that
/// is not. A lock in the table is not remembered.
class client_locks {
 public:
  client_locks(client_core& core, client_session& session, client_counters& counters,
               lock_surroundings& around);

  session_requester& requester() noexcept { return requester_; }
  const session_requester& requester() const noexcept { return requester_; }
  session_room& room() noexcept { return room_; }
  const lock_table& table() const noexcept { return table_; }

  /// Returns a lock, which the client knows from now on. Null where the client uses the path, or a
  /// directory of the lock, as another lock.
  lock_in_use* use(const std::shared_ptr<const lock_definition>& lock);

  /// Returns the lock of an acquisition; null where the client does not know it.
  lock_in_use* find(const acquisition& c) const noexcept { return table_.find(c.path()->line); }
  /// Returns the driver of a lock; null where the client does not know the lock, or not any more.
  lock_driver* find_driver(const lock_definition& lock) const noexcept {
    lock_in_use* const used = table_.find(lock.line);
    return used ? &used->driver() : nullptr;
  }

  /// Whether any lock is held or waited for.
  bool in_use() const noexcept;

  /// Whether nodes of entries may exist.
  bool own_nodes() const noexcept;

  /// Called after each event of a lock.
  void settle(lock_in_use& used);

  /// Called from time to time: puts away some locks that were not used for a session timeout, and
  /// forgets some locks that were not used for four. Each lock has a watch at the server.
  void put_away_unused();

  // Events of the session.
  void connected(bool is_new);
  void disconnected();
  void expired(queue::reason why);
  /// Bodies that rely on holds may have to end earlier.
  void hurry_bodies();
  void watch_fired(std::string_view path, zookeeper::watch_event event);

  /// Whether an ephemeral node of the session belongs to an entry, may do so, or is none of the
  /// locks'.
  bool accounts_for(std::string_view node) const;

  /// The client is over, and all acquisitions have ended. Forgets all locks.
  void clear() noexcept;

  /// The execution context is being destroyed. Returns the locks with their acquisitions, to be
  /// destroyed when nothing of the client is used any more.
  lock_table abandon() noexcept;

 private:
  bool make_way(const lock_definition& lock);
  void remember(lock_in_use& used);
  void forget(lock_in_use& used);
  void forget_oldest();

  client_core& core_;
  client_session& session_;
  client_counters& counters_;
  lock_surroundings& around_;
  session_requester requester_;
  session_room room_;
  lock_table table_;
  remembered_locks remembered_;
  unused_directories unused_;
};

} // namespace zklock::detail
