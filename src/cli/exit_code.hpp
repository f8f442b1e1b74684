#pragma once

#include <csignal>

namespace zklock::cli {

/// The exit codes of the command. zklock(1) and zklock-run(1) list them for users.
///
/// `zklock run` passes on the code of its command. For a command that a signal ends it is 128 and
/// the number of the signal, as in a shell.
struct exit_code {
  static constexpr int success = 0;

  /// The lock is taken: a try found it so, or the timeout is over. `-E` chooses another number.
  static constexpr int conflict = 1;

  /// The command line is wrong (EX_USAGE).
  static constexpr int usage = 64;

  /// No server of use answers in time, or the servers refuse a request (EX_UNAVAILABLE).
  static constexpr int unavailable = 69;

  /// The system refuses something, such as another process (EX_OSERR).
  static constexpr int system = 71;

  /// The lock was lost while it was in use, or could be lost before the end of the command, even if
  /// the command has succeeded (EX_TEMPFAIL).
  static constexpr int lost = 75;

  /// An access control list forbids a request, or the servers refuse the credentials (EX_NOPERM).
  static constexpr int no_permission = 77;

  /// The program that is to run exists and cannot be executed.
  static constexpr int cannot_execute = 126;

  /// The program that is to run does not exist.
  static constexpr int not_found = 127;

  /// Returns the code for an end by a signal.
  static constexpr int of_signal(int number) noexcept { return 128 + number; }
};

} // namespace zklock::cli
