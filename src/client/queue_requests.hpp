#pragma once

#include "client/lock_definition.hpp"
#include "client/made_directories.hpp"
#include "client/parents.hpp"
#include "client/requester.hpp"
#include "queue/action.hpp"
#include "queue/lock_policy.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>

namespace zklock::detail {

/// The requests of one lock's queue: makes them of the queue's actions, and keeps what is in
/// flight. Knows the paths of the lock's nodes, but not the queue.
///
/// Invariant: what is in flight is exactly what the replies that are due on this connection belong
/// to, in their order.
class queue_requests {
 public:
  /// `to` gets the replies. The lock must outlive this.
  queue_requests(requester& by, zookeeper::receiver& to, const lock_definition& lock,
                 queue::lock_policy policy);

  queue_requests(const queue_requests&) = delete;
  queue_requests& operator=(const queue_requests&) = delete;

  /// Sends the requests of an action. If there is no memory for one, the connection is given up,
  /// and none is sent before the next connection.
  void send(const queue::action& action) noexcept;

  /// The connection is gone: there are no more replies.
  void disconnected() noexcept;

  /// Whether no reply is due.
  bool all_answered() const noexcept { return in_flight_.count == 0; }

  /// Must be called first for each reply.
  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply);

  // To be called once for each reply of the kind: they return what the reply belongs to.
  /// The name of the node of `kind::watch`.
  std::string take_watch();
  /// The name of the node of `kind::remove_orphan` or `kind::remove_orphan_permit`.
  std::string take_orphan();
  /// The action of `kind::check`, which checks nodes, and may delete one.
  queue::action take_check();
  /// Of `kind::give_back`: the result of the entry, with its last reply only.
  std::optional<queue::answer> permit_removed(queue::entry_id id, queue::answer result);
  /// Of `kind::make_parents`: sends the request for the next directory. Returns whether there is
  /// none.
  bool parent_made(zookeeper::status result);

  /// The directories that were created.
  made_directories made() const noexcept { return made_; }
  /// Adds directories that were created when the lock was in use before.
  void inherit(made_directories made) noexcept { made_ |= made; }
  /// The watch on the directory of the entries fired.
  void directory_changed(bool deleted) noexcept {
    watches_directory_ = false;
    if (deleted) made_.reset(made_line);
  }

 private:
  using kind = queue::action::kind;

  /// The deletes of an entry's permits that are not answered yet, and the worst answer so far.
  struct removals {
    std::uint32_t left = 0;
    queue::answer worst = queue::answer::ok;
  };

  /// The requests that are not answered yet. Those whose tags do not identify them are kept in the
  /// order of the requests, which is that of the replies.
  struct requests {
    std::size_t count = 0;
    std::list<std::string> watches;
    std::list<std::string> data_watches;
    std::list<std::string> orphans;
    std::list<queue::action> checks;
    std::unordered_map<queue::entry_id, removals> permits;

    void clear() noexcept;
  };

  void request(const queue::action& action);
  void send(zookeeper::request what, kind of, std::uint64_t which = 0);
  void make(const std::string& directory, kind what, std::uint64_t which = 0);
  void get_and_watch(const std::string& node, kind what);
  void watch_data(const std::string& node, queue::entry_id entry);
  void list_permits();
  void remove_orphan(const std::string& directory, const queue::action& action);
  void take(const queue::action& action);
  void downgrade(const queue::action& action);
  void give_back(const queue::action& action);
  void check(const queue::action& action);
  const std::string& node_of(const queue::action& action);
  std::string permit_of(const queue::action& action, std::uint32_t index) const;

  // queue_requests_answered.cpp
  void log_failure(kind what, const zookeeper::reply& reply);
  void watch_answered(kind what, zookeeper::status result);
  void write_answered(kind what, zookeeper::status result) noexcept;
  void note_made(std::size_t which, zookeeper::status result) noexcept;

  requester& requester_;
  zookeeper::receiver& receiver_;
  const lock_definition& lock_;
  const queue::lock_policy policy_;
  requests in_flight_;
  parents parents_;
  made_directories made_;
  // A transaction with a write that fails does nothing for other locks either. So only writes that
  // will hardly fail are combined with those of other locks: the last write on this connection
  // succeeded, and for a create the directory is watched, so that its end is noticed.
  bool writes_succeed_ = false;
  bool watches_directory_ = false;
  // The path of the request that is being made, kept for its memory.
  std::string node_;
  // The kind of request whose failure was logged last.
  std::optional<kind> told_failure_;
  // There was no memory for a request.
  bool stalled_ = false;
};

} // namespace zklock::detail
