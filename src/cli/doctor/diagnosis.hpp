#pragma once

#include <zklock/client_options.hpp>

#include "cli/doctor/measured_session.hpp"
#include "cli/server_question.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {

/// One server of the list: its own answer, and a session with it alone.
struct examined_server {
  server_answer answer;
  session_result session;
};

/// What `zklock doctor` measured.
struct examination {
  client_options asked{};
  std::vector<examined_server> servers{};

  /// Sessions with any of the servers: with the options, and with a timeout that is very short and
  /// one that is very long.
  session_result session{};
  session_result shortest{};
  session_result longest{};

  /// No value where no lock could be acquired, for this reason.
  std::optional<lock_cost> cost{};
  std::string cost_problem{};
};

/// The judgement of one question.
struct finding {
  enum class state { ok, problem, unknown };

  std::string name;
  state is = state::ok;
  std::string text;
};

/// Returns the servers' tick: what a server says, or half the shortest session timeout.
std::optional<std::chrono::milliseconds> tick_of(const examination& measured);

/// Judges what was measured.
std::vector<finding> judge(const examination& measured);

} // namespace zklock::cli
