#pragma once

#include "client/line_tickets.hpp"
#include "client/lock_driver.hpp"
#include "client/lock_line.hpp"
#include "conduct.hpp"
#include "description.hpp"
#include "misled.hpp"
#include "queue/node_budget.hpp"
#include "simulated_requester.hpp"
#include "world.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simulation {

using zklock::queue::room_need;

/// A program that uses the shipped drivers, one for each lock: acquires, releases, and watches
/// what they send and tell.
class client final : zklock::zookeeper::receiver {
 public:
  client(world& world, std::size_t number);

  // Calls of acquirers.

  acquisition_id acquire(std::size_t directory, bool trying) {
    return acquire(directory, world_.any_demand(), trying);
  }
  class claim;
  /// `room`: of a caller that wants several locks.
  acquisition_id acquire(std::size_t directory, zklock::queue::lock_mode asked, bool trying,
                         claim* room = nullptr);
  void release(std::size_t directory, acquisition_id id);
  void downgrade(std::size_t directory, acquisition_id id);
  /// Gives a hold another identity; null: the common identity.
  void rename(std::size_t directory, acquisition_id id,
              const zklock::queue::identity_pointer& identity);

  /// Asks whether the nodes of all entries still exist.
  void check_entries();
  /// The lock has not been in use for a long time: the client remembers the lock by less than its
  /// queue, or forgets the lock; by turns.
  void forget(std::size_t directory);
  /// Whether any entry is cached. To be asked when no message is in flight.
  bool caches_any() const;
  /// Fails if an entry is cached whose release another client has requested. To be called when no
  /// message is in flight.
  void check_cached() const;
  /// Evicts the cached entries of a lock. Returns whether any entry was cached.
  bool evict(std::size_t directory);

  /// The room of a caller that wants several locks.
  class claim final : public zklock::queue::room_user {
   public:
    claim(client& of, std::size_t number) noexcept : owner_(of), number_(number) {}

    /// The number of the caller: not 0.
    std::size_t number() const noexcept { return number_; }

    /// Asks for room for so many nodes.
    void ask(std::size_t nodes);
    bool is_waiting() const noexcept { return wanted_ != 0; }
    /// An acquisition takes the room for so many nodes along.
    void take(std::size_t nodes);
    /// Returns what is left.
    void let_go();

   private:
    room_need needs_room() const noexcept override {
      return is_waiting() ? room_need::first : room_need::none;
    }
    bool has_surplus() const noexcept override { return false; }
    void refill() override;
    bool drop_surplus() override { return false; }

    client& owner_;
    const std::size_t number_;
    std::size_t wanted_ = 0;
    std::size_t left_ = 0;
  };

  // Events of the connection.

  /// Processes a message of the server. Returns whether a message had arrived.
  bool deliver();

  /// Notices that the connection is gone.
  void lose_connection();

  /// Connects, if the session still lives; otherwise hears that it does not. Returns whether the
  /// client is connected now.
  bool connect(std::size_t server);

  /// Asks whether a node of an entry still exists, as clients do from time to time.
  void check_entry(std::size_t directory);

  // Queries.

  bool connected() const noexcept { return connected_; }
  simulation::connection& connection() noexcept { return connection_; }
  const simulation::connection& connection() const noexcept { return connection_; }
  session_id session() const noexcept { return requester_.session(); }
  zklock::queue::session_token token() const noexcept { return requester_.token(); }
  std::size_t directories() const noexcept { return locks_.size(); }
  const std::map<acquisition_id, attempt>& attempts(std::size_t directory) const noexcept {
    return locks_[directory].conduct.attempts();
  }

  /// Nodes that could not be deleted.
  const std::vector<node_id>& left_behind() const noexcept { return left_behind_; }

  /// Whether the queue has found the node by itself, and must delete it.
  bool is_being_deleted(node_id node) const { return orphans_.contains(node); }

  /// Whether an own node was deleted by hand, and the client would not hear if the directory went
  /// too.
  bool may_be_misled(std::size_t directory) const;
  /// The directory has gone.
  void mislead(std::size_t directory);

  /// Fails if a caller has asked for a downgrade and has got no answer.
  void check_downgrades() const;

  /// Fails if a lock waits for room that is there, or for room of surplus entries.
  void check_waiting() const;

  /// Fails if a node or an acquisition is left although no lock is wanted any more.
  void check_rest() const;

  /// Gives to `to` the state of the locks, and of the callers.
  template <class Writer>
  void describe(Writer& to) const {
    to.value(connected_);
    to.session(session());
    for (const auto& lock : locks_) {
      zklock::description describe(to);
      describe(lock.driver->state());
      describe(lock.tickets, [](const zklock::detail::line_member& one) {
        return static_cast<const member&>(one).id();
      });
      to.value(lock.driver->idle());
      lock.conduct.describe(to, lock.driver->state());
      to.value(lock.misled.has_value());
      if (!lock.misled) continue;
      to.value(lock.misled->refused);
      to.value(lock.misled->rounds);
      to.value(lock.misled->rounds == 0 ? 0 : lock.misled->answers - answers_);
      for (const auto& one : lock.misled->holds)
        to.caller(one.acquisition);
    }
    to.value(robbed_.size());
    for (const auto& one : robbed_) {
      to.caller(one.acquisition);
      to.value(one.answers == 0 ? 0 : one.answers - answers_);
    }
  }

 private:
  using driver = zklock::detail::lock_driver;

  struct our_lock;

  /// An acquisition in the line of its lock.
  class member final : public zklock::detail::line_member,
                       public std::enable_shared_from_this<member> {
   public:
    member(our_lock& of, acquisition_id id, zklock::queue::lock_mode asked, claim* room)
        : line_member(asked, !room && !asked.identity), of_(of), id_(id), room_(room) {}

    acquisition_id id() const noexcept { return id_; }

    std::shared_ptr<line_member> shared() noexcept override { return shared_from_this(); }
    bool is_proven() const noexcept override;
    void granted_fast(const zklock::detail::grant& by, time_point) noexcept override { by_ = by; }
    void complete_fast() override;
    void ended_fast(time_point) noexcept override {}
    void counts_in(zklock::detail::lock_counters&) noexcept override {}
    bool take_room() override;
    void granted(const zklock::detail::grant& by) override;
    void downgraded(reason why) override;
    void refused(reason why) override;
    void lost(reason why) override;
    void forgotten(reason why) override;

   private:
    our_lock& of_;
    const acquisition_id id_;
    claim* const room_;
    zklock::detail::grant by_;
  };

  /// A lock with its line.
  struct our_lock final : zklock::detail::line_surroundings, zklock::queue::room_user {
    our_lock(client& of, std::size_t number);

    bool may_open() override;
    void line_closed(std::uint32_t, bool) override {}
    void settled() override;

    /// The line has something for the strand to do.
    void look();

    room_need needs_room() const noexcept override { return driver->needs_room(); }
    bool has_surplus() const noexcept override { return driver->has_surplus(); }
    void refill() override;
    bool drop_surplus() override;

    client& owner;
    std::size_t directory;
    std::optional<simulation::misled> misled;
    zklock::detail::lock_line line;
    zklock::detail::line_tickets tickets;
    std::optional<client::driver> driver;
    std::map<acquisition_id, std::shared_ptr<member>> members;
    /// The line has something for the strand to do, and the strand has not come to it.
    bool is_look_due = false;
    /// Whether the client remembers the lock when it is not in use for a long time.
    bool remembers = true;
    simulation::conduct conduct;
  };

  /// An acquisition that was granted after an own entry left, and that has no node: it must hear of
  /// the loss by the time that so many requests are answered.
  struct robbed {
    std::size_t directory;
    acquisition_id acquisition;
    node_id node;
    std::size_t answers = 0;
  };

  static constexpr std::size_t entry_bytes = 100;

  bool is_late(node_id node) const;

  void make_driver(our_lock& lock);
  our_lock& lock_of(const request& to) noexcept {
    return locks_[to.directory % world_.plan.directories];
  }

  // client_line.cpp
  bool is_fast();
  bool look_at_lines();
  static void pass_permits(our_lock& lock, const member& waiter);
  void give_up(our_lock& lock, member& waiter);
  void release(our_lock& lock, member& holder);

  // client_told.cpp
  void told(our_lock& lock, const action& action);
  void granted(our_lock& lock, const action& action);
  void refused(reason why);

  // client_sent.cpp
  void give(request request);
  static acquisition_id taker_of(const our_lock& lock, const zklock::queue::entry& of);
  action action_of(our_lock& lock, const request& sent) const;
  void note_sent(our_lock& lock, const request& sent);
  void count_sent(our_lock& lock, const action& action);
  void note_take(our_lock& lock, const action& action);
  void note_orphan(const request& sent);

  // client_answered.cpp
  void deliver(const reply& reply);
  void deliver(const event& event);
  /// Fails if a reply does not answer the first request in flight of its driver.
  void check_order(const our_lock& lock, const request& answered) const;
  void note_requested(our_lock& lock, node_id node);
  void note_answer(our_lock& lock, const reply& reply);
  void note_removed(our_lock& lock, const reply& reply);
  void note_orphan_removed(const reply& reply);
  void note_taken(our_lock& lock, const reply& reply);
  bool is_removing(const our_lock& lock, entry_id entry) const;
  void note_left_behind(our_lock& lock);
  void note_permits_left_behind(our_lock& lock);

  // client_checks.cpp
  void on_reply(zklock::zookeeper::request_tag tag,
                const zklock::zookeeper::reply& reply) noexcept override;
  bool note_failed_check(our_lock& lock, const reply& reply);
  void leave_robbed(const our_lock& lock);
  void note_robbed(our_lock& lock, const action& action);
  void end_handing_over();
  void check_robbed();

  // client_misled.cpp
  bool has_not_heard(const our_lock& lock) const;
  bool note_misled_grant(our_lock& lock, const action& action);
  void leave_misled(our_lock& lock);
  static void note_misled_answer(our_lock& lock, const reply& reply);
  void check_misled();
  void check_misled(our_lock& lock);

  // client_budget.cpp
  void check_budget() const;
  void settle(zklock::queue::room_user& user);
  void note_claim(const zklock::queue::room_user& user);
  void serve();

  bool try_again();

  world& world_;
  const std::string name_;
  simulation::connection& connection_;
  const zklock::queue::settings settings_;
  zklock::queue::node_budget budget_;
  /// The users that have nothing and wait for room, in their order.
  std::vector<const zklock::queue::room_user*> claims_;
  simulated_requester requester_;
  // Locks cannot be moved.
  std::deque<our_lock> locks_;
  acquisition_id last_acquisition_ = 0;
  std::vector<node_id> left_behind_;
  std::vector<robbed> robbed_;
  /// Of this connection.
  std::size_t requests_ = 0;
  std::size_t answers_ = 0;
  bool handing_over_ = false;
  bool releasing_ = false;
  /// The entry whose node the quorum has just found missing.
  entry_id missing_ = 0;
  /// The next of several requests for parents follows from a reply.
  bool climbing_ = false;
  std::set<node_id> orphans_;
  bool connected_ = false;
  bool serving_ = false;
};

} // namespace simulation
