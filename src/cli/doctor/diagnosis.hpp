#pragma once

#include <zklock/client_options.hpp>

#include "cli/doctor/measured_session.hpp"
#include "cli/server_question.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {

/// A server of the list: its answer to `srvr`, and a session with this server alone.
struct examined_server {
  server_answer answer;
  session_result session;
};

/// The measurements of `zklock doctor`.
struct examination {
  client_options asked{};
  std::vector<examined_server> servers{};

  /// Sessions with any of the servers: with the options, with a very short timeout, and with a very
  /// long timeout.
  session_result session{};
  session_result shortest{};
  session_result longest{};

  /// No value where no lock could be acquired, for this reason.
  std::optional<lock_cost> cost{};
  std::string cost_problem{};
};

/// The judgement of a question.
struct finding {
  enum class state { ok, problem, unknown };

  std::string name;
  state is = state::ok;
  std::string text;
};

/// Returns the servers' tick: as a server reports it, or half the shortest session timeout.
std::optional<std::chrono::milliseconds> tick_of(const examination& measured);

/// Returns the days until a certificate expires, rounded down; negative if it has expired.
int days_left(std::chrono::system_clock::time_point expiry);

/// Returns why there was no session: the line of the client's log, or the error.
std::string reason_of(const session_result& failed);

/// Judges the measurements.
std::vector<finding> judge(const examination& measured);

} // namespace zklock::cli
