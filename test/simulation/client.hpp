#pragma once

#include "conduct.hpp"
#include "queue/budget_waiters.hpp"
#include "queue/node_budget.hpp"
#include "queue/lock_queue.hpp"
#include "world.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace simulation {

/// A program that uses our queues, one for each lock directory: carries out their actions as
/// requests, and feeds the answers back as events.
class client {
 public:
  client(world& world, std::size_t number);

  // What callers do.

  /// `is_part`: for somebody who wants several locks.
  acquisition_id acquire(std::size_t directory, bool trying, bool is_part = false);
  void release(std::size_t directory, acquisition_id id);
  void downgrade(std::size_t directory, acquisition_id id);

  /// Nobody has wanted the lock for a long time: all about it is forgotten.
  void forget(std::size_t directory);

  // What happens to the connection.

  /// Treats what came from the server. Returns whether there was anything.
  bool deliver();

  /// Notices that the connection is gone.
  void lose_connection();

  /// Connects, if the session still lives; otherwise hears that it does not. Returns whether the
  /// client is connected now.
  bool connect(std::size_t server);

  /// Asks whether the node of an entry in line still exists, as clients do from time to time.
  void check_entry(std::size_t directory);

  // What there is to see.

  bool connected() const noexcept { return connected_; }
  simulation::connection& connection() noexcept { return connection_; }
  session_id session() const noexcept { return session_; }
  std::size_t directories() const noexcept { return locks_.size(); }
  const std::map<acquisition_id, attempt>& attempts(std::size_t directory) noexcept {
    return locks_[directory].conduct.attempts();
  }

  /// Nodes that could not be deleted.
  const std::vector<node_id>& left_behind() const noexcept { return left_behind_; }

  /// Whether the queue has found the node by itself, and must see to it that it goes.
  bool is_being_deleted(node_id node) const { return strays_.contains(node); }

  /// Whether somebody deleted one of its nodes, and it would not hear if the directory went too.
  bool is_fooled(std::size_t directory) const;

  /// Fails where somebody who asked to become a reader has not heard of it.
  void check_downgrades() const;

  /// Fails where somebody waits for room that could be borrowed.
  void check_lending() const;

  /// Fails where something is left although nobody wants anything any more.
  void check_rest() const;

 private:
  struct our_lock {
    our_lock(client& of, std::size_t number);

    bool starved() const noexcept { return queue->starved(); }
    bool needs_room() const noexcept { return queue->needs_room(); }
    void refill();
    bool wants_rest() const noexcept { return queue->wants_rest(); }
    bool may_borrow() const noexcept { return queue->may_borrow(); }
    bool make_room(bool for_rest);

    client& owner;
    std::size_t directory;
    std::optional<zklock::queue::lock_queue> queue;
    simulation::conduct conduct;
    std::size_t unanswered = 0;
    /// Permits being given back: how many answers there will be, and the worst so far.
    std::map<entry_id, std::pair<std::uint32_t, answer>> leaving;
  };

  static constexpr std::size_t entry_bytes = 100;

  /// Why a check or a list was asked for.
  enum purpose : int { to_know, to_confirm, to_recover, to_be_current };

  /// Lets an event happen to a queue, and does what the queue wants done.
  template <class Event>
  void step(std::size_t directory, Event event, bool confirmed = false) {
    const bool proven = is_proven(confirmed);
    std::vector<action> actions;
    zklock::queue::event_context context{
        .proven = proven, .last_entry = last_entry_, .actions = actions};
    event(*locks_[directory].queue, context);
    carry_out(directory, actions, proven);
    locks_[directory].conduct.check_line(*locks_[directory].queue);
  }

  bool try_again();
  bool is_proven(bool confirmed);
  void carry_out(std::size_t directory, const std::vector<action>& actions, bool proven);
  void carry_out(std::size_t directory, const action& action);
  void send(request request);
  void send_checks(request request);
  bool treat_failed_check(const reply& reply);
  void note_robbed(std::size_t directory, const action& action);
  void end_handing_over();
  void check_robbed();
  void remove_stray(std::size_t directory, const std::string& name);
  std::string permit_name(entry_id id, std::uint32_t index) const;
  std::size_t lock_of(std::size_t directory) const noexcept {
    return directory % world_.plan.directories;
  }
  void carry_out_permits(std::size_t directory, const action& action);
  void take(std::size_t directory, const action& action);
  void give_back(std::size_t directory, const action& action);
  void treat_taken(const reply& reply);
  void treat_permits(std::size_t directory, const reply& reply);
  void treat_given_back(std::size_t directory, const reply& reply);
  bool check_permit(std::size_t directory);
  request replace_by_reader(std::size_t directory, const action& action) const;
  std::string entry_name(entry_id id, role wants, sequence number) const;
  void treat(const reply& reply);
  void treat(const event& event);
  bool is_removing(const request& to) const;
  void treat_list(const reply& reply);
  void note_permits_left_behind(std::size_t directory);
  void note_left_behind(std::size_t directory);
  void count_remove(const place& place);
  void granted(std::size_t directory, const action& action);
  void check_budget() const;
  void settle(our_lock& lock);

  world& world_;
  const std::string name_;
  simulation::connection& connection_;
  const zklock::queue::settings settings_;
  zklock::queue::node_budget budget_;
  zklock::queue::budget_waiters<our_lock> budget_line_{budget_};
  // Locks cannot be moved.
  std::deque<our_lock> locks_;
  session_id session_ = 0;
  zklock::queue::session_token token_;
  acquisition_id last_acquisition_ = 0;
  entry_id last_entry_ = 0;
  std::vector<node_id> left_behind_;
  /// Those who were let in by one of ours that left, and have no node: they must have heard of it
  /// when so many requests are answered.
  struct robbed {
    std::size_t directory;
    acquisition_id acquisition;
    node_id node;
    std::size_t answers = 0;
  };
  std::vector<robbed> robbed_;
  /// Of this connection.
  std::size_t requests_ = 0;
  std::size_t answers_ = 0;
  bool handing_over_ = false;
  std::set<node_id> strays_;
  bool connected_ = false;
  bool serving_ = false;
};

} // namespace simulation
