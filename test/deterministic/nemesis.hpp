#pragma once

#include "deterministic/kernel/kernel.hpp"
#include "host.hpp"
#include "server_side.hpp"
#include "world.hpp"

#include <deque>
#include <set>
#include <string>
#include <vector>

namespace deterministic {

/// Breaks the network, the processes and the servers at moments that the seed chooses, in turn and
/// together. Each fault ends by itself, or with `heal`.
class nemesis {
 public:
  nemesis(world& world, kernel& kernel, std::deque<host>& hosts, server_side& servers);

  void start();
  /// Ends all faults. Processes that have ended start again no more.
  void heal();
  /// Ends a fault that waiters must notice by themselves.
  void forget_kept();

 private:
  void strike_later();
  void strike();
  /// As `strike_later` and `strike`, for faults that occur in some histories only.
  void strike_aside_later();
  void strike_aside();

  // Faults of the network.
  void cut();
  void delay();
  void reset();
  void reset_after();
  // Faults of the processes.
  void pause();
  void suspend();
  void shift_clock();
  void destroy_client();
  void close_client();
  void end_process();
  void fail_sends();
  void fail_sockets();
  void end_one_way();
  void block_loop();

  // Faults of the servers.
  void crash_server();
  void pause_server();
  void cut_servers();
  void isolate_leader();
  void slow_server();
  void garble();
  void end_garbage(int which);
  void spoil_name();
  void overload();
  void misanswer();
  void demand_authentication_later();
  void back_up_later();
  void restart_servers();
  void start_servers_later();
  void restore();
  void keep_nodes();

  // The deeds of an operator.
  void change_list();
  void delete_entry();
  void delete_several();
  void leave_child();
  void remove_child(const std::string& path);
  bool is_in_the_way(std::string_view path) const;
  void delete_by_hand(const std::string& path);
  /// The nodes below locks.
  std::vector<std::string> entries();
  /// An entry; empty if there is none.
  std::string any_entry();

  int any_replica();
  host& any_host() { return hosts_[world_.random.below(hosts_.size())]; }
  /// The name of a process, or empty for all.
  std::string any_process();
  std::string any_server();
  void later(std::chrono::nanoseconds delay, std::function<void()> what);
  void usual_delays();

  world& world_;
  kernel& kernel_;
  std::deque<host>& hosts_;
  server_side& servers_;
  dice aside_;
  dice returning_;
  dice phantom_;
  dice missing_;
  dice lacking_;
  dice wrong_;
  dice changing_;
  // The servers that send garbage.
  std::set<int> garbling_;
  // The server that keeps nodes; -1 for none.
  int phantoms_at_ = -1;
  // The servers have the data of a backup.
  bool restored_ = false;
  // The children that were left in directories.
  std::set<std::string> children_;
};

} // namespace deterministic
