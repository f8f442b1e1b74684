#pragma once

#include "client.hpp"
#include "foreign_client.hpp"
#include "multi_caller.hpp"
#include "world.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace simulation {

/// A history: the numbers of a seed choose the events, up to a number of steps. Then the faults
/// end, and every client must come to rest.
///
/// Without numbers the caller makes the events happen, through the accessors.
class history {
 public:
  history(simulation::dice numbers, lock_kind kind, bool traced);
  history(const plan& plan, bool traced);

  /// Throws `failure` if a rule is broken.
  void run();

  /// After the faults have ended: grants and releases all wanted locks. Throws `failure` if a node
  /// or an acquisition is left.
  void come_to_rest();

  /// The servers delete a directory, if it is empty. Returns whether they do.
  bool reap(std::size_t directory);

  const simulation::statistics& statistics() const noexcept { return world_.statistics; }
  simulation::world& world() noexcept { return world_; }
  const simulation::world& world() const noexcept { return world_; }
  std::deque<client>& clients() noexcept { return clients_; }
  const std::deque<client>& clients() const noexcept { return clients_; }
  std::deque<foreign_client>& foreign_clients() noexcept { return foreign_clients_; }
  const std::deque<foreign_client>& foreign_clients() const noexcept { return foreign_clients_; }

 private:
  void add_clients();

  // The events that the seed chooses.
  void set_up();
  void happen(deed what);
  void network();
  void move();
  void depose();
  void expire();
  void reap();
  void replace(std::size_t directory);
  void mislead(client& one, std::size_t directory);
  void delete_by_hand();
  void deny();
  void set_data();
  acquisition_id pick(const std::map<acquisition_id, attempt>& attempts, bool held);

  // At any time.
  bool look();

  // After the faults have ended.
  bool progress();
  bool heal();
  bool release_next();
  bool be_late();
  bool let_go();
  bool clean_up();
  void check_rest();

  foreign_client* any_foreign_client();
  client& any_client() { return clients_[world_.dice.below(clients_.size())]; }
  std::size_t any_directory() { return world_.dice.below(world_.plan.directories); }
  /// Includes the directories of permits.
  std::size_t any_kind_of_directory() {
    return world_.dice.below(world_.ensemble.truth().directories());
  }
  std::size_t any_server() { return world_.dice.below(world_.ensemble.servers()); }

  simulation::world world_;
  std::deque<client> clients_;
  std::deque<foreign_client> foreign_clients_;
  std::deque<multi_caller> multi_callers_;
  // Sessions of which only the entries are seen.
  std::vector<session_id> passers_by_;
  std::vector<std::uint64_t> candidates_;
  // All entries were checked after the faults.
  bool has_checked_ = false;
};

} // namespace simulation
