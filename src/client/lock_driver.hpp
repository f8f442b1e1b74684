#pragma once

#include "client/lock_definition.hpp"
#include "client/lock_listener.hpp"
#include "client/made_directories.hpp"
#include "client/parents.hpp"
#include "client/requester.hpp"
#include "queue/lock_queue.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// Drives the queue of one lock: sends its actions as requests, feeds the replies back as events,
/// and notifies a listener of what becomes of the acquisitions. Knows no session, no Asio and no C
/// client.
///
/// Invariant: actions are carried out in the order in which the queue gives them, and never one
/// inside another.
class lock_driver final : public zookeeper::receiver {
 public:
  lock_driver(requester& by, lock_listener& to, std::shared_ptr<const lock_definition> lock,
              const queue::settings& settings, queue::node_budget& budget,
              std::pmr::memory_resource* memory);

  lock_driver(const lock_driver&) = delete;
  lock_driver& operator=(const lock_driver&) = delete;

  // Calls of the acquisitions, as the queue's.
  void acquire(queue::acquisition_id id, queue::lock_mode asked, bool trying);
  void release(queue::acquisition_id id);
  void downgrade(queue::acquisition_id id);
  void prove(queue::acquisition_id id);

  // Events of the session.
  void connected();
  void disconnected();
  void expired();
  /// The session is proven again.
  void confirmed();
  /// A watch on an entry fired.
  void entry_changed(std::string_view name, bool deleted);
  /// A watch on the directory of the entries fired.
  void directory_changed(bool deleted);
  /// A watch on something else fired.
  void watch_fired(std::string_view path, zookeeper::watch_event event);
  /// A node of an entry was found missing.
  void missing(queue::entry_id id, queue::form node);
  /// A node, of any client, was found missing.
  void node_gone(std::string_view gone);

  const std::shared_ptr<const lock_definition>& lock() const noexcept { return lock_; }
  const queue::lock_queue& state() const noexcept { return queue_; }

  /// The directories that it created.
  made_directories made() const noexcept { return made_; }
  /// Adds directories that were created when the lock was in use before.
  void inherit(made_directories made) noexcept { made_ |= made; }

  // Of the line for the session's budget of node paths, as the queue's.
  bool starved() const noexcept { return queue_.starved(); }
  bool needs_room() const noexcept { return queue_.needs_room(); }
  bool wants_rest() const noexcept { return queue_.wants_rest(); }
  bool may_borrow() const noexcept { return queue_.may_borrow(); }
  void refill();
  bool make_room(bool for_rest);

  /// Sends the requests again that the servers refused for a reason that may pass.
  void try_again();

  /// Whether no acquisition waits or holds, and no reply is on its way.
  bool idle() const noexcept { return queue_.empty() && in_flight_.count == 0; }

  /// Whether nodes of its entries may exist.
  bool owns_nodes() const noexcept { return !queue_.entries().empty(); }

  struct named_node {
    queue::entry_id entry;
    queue::form form;
  };

  /// Appends the paths of the nodes of all entries, and returns the entry and form of each.
  std::vector<named_node> collect(std::vector<std::string>& paths) const;

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
    std::deque<std::string> watches;
    std::deque<std::string> orphans;
    std::list<queue::action> checks;
    std::unordered_map<queue::entry_id, removals> permits;

    void clear() noexcept;
  };

  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;

  /// Feeds an event to the queue and carries out the actions that follow.
  template <class Event>
  void feed(Event event) noexcept {
    queue::event_context context{
        .proven = requester_.proven(), .last_entry = requester_.last_entry(), .actions = actions_};
    event(context);
    carry_out();
  }

  void carry_out();
  void carry_out(const queue::action& action);
  void try_to_request(const queue::action& action) noexcept;

  // lock_driver_requests.cpp
  void request(const queue::action& action);
  void send(zookeeper::request what, kind of, std::uint64_t which = 0);
  void make(const std::string& directory, kind what, std::uint64_t which = 0);
  void get_and_watch(const std::string& node, kind what);
  void list_permits();
  void remove_orphan(const std::string& directory, const queue::action& action);
  void take(const queue::action& action);
  void downgrade(const queue::action& action);
  void give_back(const queue::action& action);
  void check(const queue::action& action);
  const std::string& node_of(const queue::action& action);
  std::string permit_of(const queue::action& action, std::uint32_t index) const;

  // lock_driver_replies.cpp
  void handle(zookeeper::request_tag tag, const zookeeper::reply& reply);
  void log_failure(kind what, const zookeeper::reply& reply);
  void watch_answered(kind what, zookeeper::status result);
  void note_made(std::size_t which, zookeeper::status result) noexcept;
  void parent_made(zookeeper::status result);
  void created(queue::entry_id id, const zookeeper::reply& reply);
  void checked(queue::answer result, std::size_t first_failed);
  void removed(queue::entry_id id, queue::answer result);
  void orphan_removed(queue::answer result);
  void limited(const zookeeper::reply& reply);

  requester& requester_;
  lock_listener& listener_;
  const std::shared_ptr<const lock_definition> lock_;
  const queue::lock_policy policy_;
  queue::lock_queue queue_;
  std::vector<queue::action> actions_;
  requests in_flight_;
  parents parents_;
  made_directories made_;
  // The path of the request that is being made, kept for its memory.
  std::string node_;
  // The kind of request whose failure was logged last.
  std::optional<kind> told_failure_;
  // There was no memory for a request: none is sent before the next connection.
  bool stalled_ = false;
  bool carrying_out_ = false;
};

} // namespace zklock::detail
