#pragma once

#include "testing/child_process.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

enum class server_state { running, paused, dead };

/// A ticket server in a process of its own. It ends when this program ends for any reason.
class server_process {
 public:
  /// Starts the server. Blocks until it listens. `lifeline` stays open in it.
  server_process(std::string name, std::vector<std::string> command, int lifeline);

  /// Starts the server again after its end. Blocks until it listens.
  void start();

  /// Halts the process by SIGSTOP, as if the machine did not schedule it.
  void pause() { process_->halt(); }

  /// Continues a halted process.
  void resume() { process_->signal(SIGCONT); }

  /// Ends the process by SIGKILL. It releases nothing.
  void kill() { process_->signal(SIGKILL); }

  /// Returns the state of the process.
  server_state state() const;

  /// Returns whether the process has ended.
  bool has_ended() const { return process_->has_ended(); }

  /// Asks the server for its session, again and again.
  boost::asio::awaitable<void> watch_session();

  const std::string& name() const { return name_; }
  pid_t process_id() const { return process_->id(); }
  std::uint16_t port() const { return port_; }

  /// Returns the session as the server names it; empty if there is none.
  const std::string& session() const { return session_; }

  /// Returns whether the server had this session, and has it no longer.
  bool had(const std::string& session) const { return former_sessions_.contains(session); }

 private:
  boost::asio::awaitable<void> ask_until_it_ends();
  void set_session(std::string session);

  std::string name_;
  std::vector<std::string> command_;
  int lifeline_;
  std::optional<zklock::testing::child_process> process_;
  std::uint16_t port_ = 0;
  std::string session_;
  std::set<std::string> former_sessions_;
};
