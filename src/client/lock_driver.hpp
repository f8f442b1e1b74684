#pragma once

#include "client/idle_lock.hpp"
#include "client/lock_definition.hpp"
#include "client/lock_listener.hpp"
#include "client/made_directories.hpp"
#include "client/queue_requests.hpp"
#include "client/requester.hpp"
#include "queue/lock_queue.hpp"
#include "queue/node_budget.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// Drives the queue of one lock: gives calls, events and replies to the queue, and carries out the
/// queue's actions. An action is a request, or a notification of the listener. Depends on no
/// session, Asio or C client.
///
/// Invariant: actions are carried out in the order in which the queue gives them, and no action is
/// carried out inside another action.
class lock_driver final : public zookeeper::receiver, public queue::room_user, event_source {
 public:
  lock_driver(requester& by, lock_listener& to, std::shared_ptr<const lock_definition> lock,
              const queue::settings& settings, queue::node_budget& budget);

  lock_driver(const lock_driver&) = delete;
  lock_driver& operator=(const lock_driver&) = delete;

  // Calls of the acquisitions, as the queue's.
  void serve();
  void start_try(queue::demand_id id, queue::lock_mode asked);
  void withdraw(queue::demand_id id);
  void release(queue::entry_id held, bool may_cache);
  void downgrade(queue::entry_id held);
  void set_identity(queue::entry_id held, const queue::identity_pointer& identity);
  void prove(queue::entry_id held);
  void evict();
  /// The queue, for calls that are no events.
  queue::lock_queue& between_events() noexcept { return queue_; }

  // Events of the session.
  void connected();
  void disconnected();
  void expired(queue::reason why);
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
  /// The release of an entry of ours was asked for, by its node.
  void release_requested(std::string_view node);
  /// A node, of any client, was found missing.
  void node_gone(std::string_view gone);

  const std::shared_ptr<const lock_definition>& lock() const noexcept { return lock_; }
  const queue::lock_queue& state() const noexcept { return queue_; }
  const queue_requests& requests() const noexcept { return requests_; }
  queue::lock_policy policy() const noexcept { return policy_of(lock_->kind); }
  queue::session_token token() const noexcept { return requester_.token(); }

  // The end of an idle driver, and the beginning of the next driver of the lock: as the requests'.
  made_directories made() const noexcept { return requests_.made(); }
  idle_lock rest(watch_registry::user heir) { return requests_.rest(heir); }
  void resume(const idle_lock& kept, watch_registry::user keeper) {
    requests_.resume(kept, keeper);
  }
  void release_watches() { requests_.release_watches(); }

  // As a user of the session's budget, as the queue's.
  queue::room_need needs_room() const noexcept override { return queue_.needs_room(); }
  bool has_surplus() const noexcept override { return queue_.has_surplus(); }
  void refill() override;
  bool drop_surplus() override;

  /// Sends the requests again that the servers refused for a reason that may pass.
  void try_again();

  /// Whether an ephemeral node of ours in a directory of the lock belongs to an entry, or may.
  bool accounts_for(std::string_view node) const;

  /// Whether no acquisition waits or holds, and no reply is on its way.
  bool idle() const noexcept { return queue_.empty() && requests_.in_flight().empty(); }

  struct named_node {
    queue::entry_id entry;
    queue::form form;
  };

  /// Appends the paths of the nodes of all entries, and returns the entry and form of each.
  std::vector<named_node> collect(std::vector<std::string>& paths) const;

 private:
  using kind = queue::action::kind;

  void on_reply(zookeeper::request_tag, const zookeeper::reply& reply) noexcept override;

  queue::event_context begin_event() override;

  /// Feeds an event to the queue and carries out the actions that follow.
  template <class Event>
  void feed(Event event) noexcept {
    auto context = begin_event();
    event(context);
    carry_out();
  }

  std::optional<named_node> own_node(std::string_view path) const;
  void carry_out();
  void carry_out(queue::action&& action);

  requester& requester_;
  lock_listener& listener_;
  const std::shared_ptr<const lock_definition> lock_;
  queue::lock_queue queue_;
  std::vector<queue::action> actions_;
  queue_requests requests_;
  bool carrying_out_ = false;
};

} // namespace zklock::detail
