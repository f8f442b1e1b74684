#pragma once

#include "chaos/checker.hpp"
#include "chaos/cluster.hpp"
#include "chaos/crew.hpp"
#include "chaos/data_copy.hpp"
#include "chaos/plan.hpp"
#include "chaos/small_disk.hpp"

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace chaos {

/// A fault that was carried out.
struct past_fault {
  fault_kind kind = fault_kind::kill_server;
  span when{};
  /// The disturbed part, for people: `server 2, the leader`.
  std::string target{};
  /// The servers that were disturbed.
  std::vector<std::size_t> servers{};
  /// The client process that was disturbed; -1 for none.
  int client = -1;
};

/// Carries out a plan, each track in a thread of its own.
class nemesis {
 public:
  /// Keeps copies of the servers' data in `folder`.
  nemesis(cluster& servers, crew& clients, small_disk& disk, const std::array<track, 4>& plan,
          std::filesystem::path folder);

  /// Ends all faults and stops.
  ~nemesis();

  nemesis(const nemesis&) = delete;
  nemesis& operator=(const nemesis&) = delete;

  /// Blocks until all faults are over. Faults that have not begun are left out.
  void stop();

  /// Returns the faults in the order of their beginnings. Call `stop` before.
  std::vector<past_fault> faults() const;

  /// Returns the entries and sessions that were ended by hand. Call `stop` before.
  const hand_made_losses& by_hand() const { return by_hand_; }

  /// Returns when the servers were set back to older data. Call `stop` before.
  const std::vector<restore>& restores() const { return restores_; }

  /// Returns the writes that the servers had logged and then lost by that. Call `stop` before.
  const logged_writes& logged() const { return logged_; }

  /// Returns when all servers demanded authentication. Call `stop` before.
  const std::vector<span>& demands() const { return demands_; }

  /// Returns whether servers may still demand authentication, because the end of that fault has
  /// failed. Call `stop` before.
  bool may_demand() const { return may_demand_; }

  /// Returns the faults that could not be made, and why. Call `stop` before.
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  void run(const track& faults);
  bool sleep_until(std::chrono::steady_clock::time_point time);
  bool wait_until_settled();
  void carry_out(const fault& one);

  void begin_on_servers(const fault& one, past_fault& done);
  void end_on_servers(const fault& one, const past_fault& done);
  void kill_in_turns(const fault& one, past_fault& done);
  void begin_restore(const fault& one, past_fault& done);
  void end_restore();
  void begin_demand(const fault& one, past_fault& done);
  void end_demand(const past_fault& done);
  void restart(std::vector<std::size_t> servers);
  void start_in_order(const std::vector<std::size_t>& servers);
  void begin_on_client(const fault& one, past_fault& done);
  void end_on_client(const fault& one);
  void expire_session(const fault& one, past_fault& done);
  void delete_node(const fault& one, past_fault& done);
  std::size_t choose_server(const fault& one) const;
  static std::size_t client_of(const fault& one);

  cluster& servers_;
  crew& clients_;
  small_disk& disk_;
  const std::filesystem::path folder_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::vector<past_fault> done_;
  hand_made_losses by_hand_;
  // Used by the track of servers only.
  std::optional<data_copy> copy_;
  nanoseconds kept_until_ = 0;
  std::vector<restore> restores_;
  logged_writes logged_;
  std::vector<span> demands_;
  bool may_demand_ = false;
  std::vector<std::string> troubles_;
  std::vector<std::thread> threads_;
};

} // namespace chaos
