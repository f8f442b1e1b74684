#pragma once

#include <zklock/client_options.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {

/// Which lock `zklock run` acquires.
enum class lock_kind { mutex, writer, reader, permits };

/// The command line of `zklock run`.
struct run_options {
  client_options connection;
  std::string path;
  lock_kind kind = lock_kind::mutex;
  std::int64_t permits = 1;
  /// The number of permits of the semaphore; 0: the znode `limit_node` has it.
  std::int64_t limit = 0;
  std::string limit_node;
  /// The program and its arguments. Empty: the lock is held until a signal.
  std::vector<std::string> command;
  /// Zero is a try, the maximum stands for ever.
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();
  /// The maximum stands for ever.
  std::chrono::nanoseconds hold_limit = std::chrono::nanoseconds::max();
  /// How long the lock stays held, also where the command ends sooner.
  std::chrono::nanoseconds hold_at_least{0};
  /// From SIGTERM to SIGKILL. Without a value, as much as the session timeout allows, 5 s at most.
  std::optional<std::chrono::nanoseconds> kill_after;
  int conflict_code = 0;
  /// The signal for the command when another client asks for the lock; 0: none.
  int signal_on_request = SIGTERM;
  bool verbose = false;
};

/// Parses the arguments behind `zklock run`. Returns nothing after printing the help. Throws
/// `usage_error`.
std::optional<run_options> parse_run_options(const std::vector<std::string>& arguments);

} // namespace zklock::cli
