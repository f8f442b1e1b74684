#pragma once

#include <zklock/client.hpp>

#include "deterministic/kernel/kernel.hpp"
#include "pauses.hpp"
#include "world.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace deterministic {

class life;
class program;

/// A process that uses zklock: its clients and its programs. It can end in any way, and starts
/// again.
class host {
 public:
  host(world& world, kernel& kernel, std::size_t number);
  ~host();
  host(const host&) = delete;
  host& operator=(const host&) = delete;

  const std::string& name() const noexcept { return name_; }
  process& running() noexcept { return *process_; }
  /// The loop on which a body is to run; null for its client's loop.
  loop* any_loop(dice& dice);
  bool is_running() const noexcept { return process_ != nullptr; }

  /// The client, or nothing where it was destroyed.
  zklock::client* client(std::size_t which) noexcept { return clients_[which].get(); }
  std::size_t clients() const noexcept { return clients_.size(); }
  bool has_chroot(std::size_t which) const noexcept {
    return world_.design.has_chroot(number_, which);
  }
  bool is_stranger() const noexcept { return world_.design.is_stranger(number_); }
  const deterministic::pauses& pauses() const noexcept { return pauses_; }
  const std::shared_ptr<deterministic::life>& life() const noexcept { return life_; }
  /// How often the client has said that the servers have older data.
  std::size_t older_data_told(std::size_t which) const noexcept { return older_data_told_[which]; }
  /// The client is closed or gone, or was so at some time since then.
  bool was_closed(std::size_t which, time_point since) const noexcept {
    return !clients_[which] || is_closed_[which] || closed_at_[which] >= since;
  }

  void pause(std::chrono::nanoseconds duration);
  /// A handler of the process takes that long. Call it from there.
  void stall(std::chrono::nanoseconds duration);
  /// A handler takes long, but so short that no hold is in doubt.
  void stall_a_little();
  /// A handler of a loop takes that long, and blocks nothing but its loop.
  void block_loop(dice& dice, std::chrono::nanoseconds duration);
  /// Pauses the machine.
  void suspend(std::chrono::nanoseconds duration);
  /// No handler is under way, so that the process can end.
  bool is_between_handlers() const noexcept { return process_ && !process_->is_any_running(); }

  /// Starts the process with its clients and its programs.
  void start();
  /// Makes missing nodes, and lets a last program make all waits possible.
  void complete();
  /// Tries each lock once all of them must be free.
  void try_all();
  /// Tells a client another list of servers, without its chroot.
  void set_servers(std::size_t which, const std::string& servers);
  /// Destroys a client while it is in use. Another client takes its place soon.
  void destroy_client(std::size_t which);
  /// Closes a client while it is in use. Another client takes its place soon.
  void close_client(std::size_t which);
  /// Destroys the process's execution context, before its clients or after them. All operations of
  /// its loops with the clients must then end.
  void destroy(bool clients_first);
  /// Ends the process when all is done.
  void end();
  /// SIGKILL.
  void kill();

  /// The programs have ended.
  bool is_idle() const noexcept { return programs_ == 0; }
  void program_ended() noexcept { --programs_; }

  bool is_connected() const;
  /// No client is connected to a server that is not in its list.
  bool uses_lists() const;
  /// A client of the process has the session, and was not closed.
  bool uses_session(std::int64_t session) const;
  /// Closes all clients. Each must be able to end its session.
  void close_all();
  /// Nothing keeps the execution context busy any more.
  bool is_done() const;
  /// It has handlers that were not called.
  bool is_waiting() const;

 private:
  void run(std::shared_ptr<program> next, boost::asio::awaitable<void> coroutine);
  bool is_inside_a_handler() const noexcept { return process_ && process_->is_running(); }
  /// The process does not go on for a while.
  void stop_for(std::chrono::nanoseconds duration);
  void note_closed(std::size_t which);
  std::string chroot_of(std::size_t which) const {
    return has_chroot(which) ? world_.design.root : std::string();
  }
  std::unique_ptr<zklock::client> make_client(std::size_t which);
  void check_silence(const std::string& name, std::string_view line);
  void note_older_data(std::size_t which, std::string_view line);
  void check_loss(const std::string& name, std::string_view line);
  void check_list(const std::string& name, std::string& list, std::string_view line);
  void check_change(const std::string& name, std::string_view line);
  void check_expiry(const std::string& name, std::string_view line);
  void destroy_after(std::chrono::nanoseconds delay, std::size_t life);
  void note_failure(std::size_t which, std::string_view line);
  void end_life(bool clients_first);
  void destroy_clients();
  bool is_unwound();
  void run_loops(process& which);
  void end_process(process& which, time_point begun);
  void check_closed(const std::string& name, std::int64_t session, zklock::error_code error);
  void replace_client_soon(std::size_t which);
  void destroy_client_after(std::chrono::nanoseconds delay, std::size_t which, std::size_t life);

  world& world_;
  kernel& kernel_;
  const std::size_t number_;
  const std::string name_;
  std::size_t lives_ = 0;
  std::shared_ptr<deterministic::life> life_;
  dice aside_;
  std::size_t programs_ = 0;
  time_point stalled_until_{0};
  std::size_t open_clients_ = 0;
  process* process_ = nullptr;
  std::vector<std::unique_ptr<zklock::client>> clients_;
  std::vector<bool> is_closed_;
  std::vector<time_point> closed_at_;
  std::vector<std::size_t> older_data_told_;
  // The lists of servers that the clients know. A client that closes may still hear of another list
  // when the next client has begun.
  std::vector<std::shared_ptr<std::string>> lists_;
  deterministic::pauses pauses_;
};

} // namespace deterministic
