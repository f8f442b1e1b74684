#pragma once

#include "client/idle_lock.hpp"
#include "client/lock_definition.hpp"
#include "client/made_directories.hpp"
#include "client/requester.hpp"
#include "client/watch_registry.hpp"
#include "queue/action.hpp"
#include "queue/lock_queue.hpp"
#include "support/recycled_memory.hpp"
#include "zookeeper/request.hpp"

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace zklock::detail {

/// Begins the events of a lock's queue.
class event_source {
 public:
  virtual queue::event_context begin_event() = 0;

 protected:
  ~event_source() = default;
};

/// Translates the actions of a lock's queue to requests, and their replies to events of the queue.
///
/// Invariant: `in_flight` has the requests without a reply, in the order in which they were sent,
/// which is the order of the replies.
class queue_requests {
 public:
  struct arrival;

  /// A request without a reply.
  struct request {
    /// Of a directory to create, `name` is its path; empty: the directory of the entries.
    queue::action action;
    /// Gives the reply to the queue.
    void (*on_reply)(queue_requests& self, const arrival& got) = nullptr;
    /// The number of replies that are due: several if the action took several requests of a kind.
    std::uint32_t replies = 1;
    /// The worst of several results.
    queue::answer worst = queue::answer::ok;
  };
  using requests = std::list<request, recycling_allocator<request>>;

  /// `to` gets the replies. The lock and the queue must outlive this object.
  queue_requests(requester& by, zookeeper::receiver& to, const lock_definition& lock,
                 queue::lock_queue& queue);

  queue_requests(const queue_requests&) = delete;
  queue_requests& operator=(const queue_requests&) = delete;

  /// Sends the requests of an action.
  void send(queue::action&& action);

  /// Gives the reply to the oldest request to the queue, in an event of `events` where the queue
  /// needs to know.
  void answered(const zookeeper::reply& reply, event_source& events);

  /// The connection is lost, and no replies follow.
  void disconnected() noexcept;

  const requests& in_flight() const noexcept { return in_flight_; }

  /// The directories that the queue's requests have created.
  made_directories made() const noexcept { return made_; }

  /// The lock is unused: returns the knowledge of the queue and its requests, and passes the watch
  /// on the directory of the entries on to `heir`. Removes all further watches of the lock.
  idle_lock rest(watch_registry::user heir);
  /// Begins with the knowledge of an earlier use of the lock, and takes the watch on the directory
  /// over from `keeper`.
  void resume(const idle_lock& kept, watch_registry::user keeper);
  /// The lock is forgotten. Removes all watches.
  void release_watches() { requester_.watches().release(this, requester_); }
  /// The watch on the directory of the entries fired.
  void directory_changed(bool deleted) noexcept;

 private:
  using kind = queue::action::kind;

  // Each function sends the requests of an action, and says how their replies reach the queue.
  void make_directory(request& made);
  void make_parents(request& made);
  void create(request& made);
  void list(request& made);
  void list_and_watch(request& made);
  void list_permits(request& made);
  void inspect(request& made, const std::string& node);
  void watch(request& made);
  void watch_data(request& made);
  void watch_directory(request& made);
  void ask_limit(request& made);
  void confirm(request& made);
  void check(request& made);
  void remove(request& made);
  void remove_orphan(request& made, const std::string& directory);
  void downgrade(request& made);
  void take(request& made);
  void remove_permits(request& made);

  void make(request& made);
  void get_and_watch(const std::string& node);
  void log_failure(kind what, const zookeeper::reply& reply);
  void watch_answered(const std::string& path, zookeeper::watch_kind of, const arrival& got);
  void note_made(const arrival& got) noexcept;
  std::string_view label_of(queue::role wants) const { return policy_of(lock_.kind).label(wants); }
  const std::string& identity_of(const queue::action& action) const noexcept {
    return action.identity ? *action.identity : requester_.identity();
  }
  const std::string& node_of(const queue::action& action);
  std::string permit_of(const queue::action& action, std::uint32_t index) const;

  requester& requester_;
  zookeeper::receiver& receiver_;
  const lock_definition& lock_;
  queue::lock_queue& queue_;
  requests in_flight_;
  made_directories made_;
  // A failed write of a transaction undoes the writes of other locks, too. A write is combined only
  // where it will hardly fail: the last write on this connection has succeeded, and for a create
  // the directory is watched, so that its deletion is noticed.
  bool writes_succeed_ = false;
  bool watches_directory_ = false;
  // The path of the request that is being made, kept for its memory.
  std::string node_;
  // The kind of request whose failure was logged last.
  std::optional<kind> logged_failure_;
};

} // namespace zklock::detail
