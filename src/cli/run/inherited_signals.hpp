#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace zklock::cli {

/// The signals as this process found them when it was started. Ignored signals, as after `nohup` or
/// in the background of a script, stay ignored, in this process and in the command.
class inherited_signals {
 public:
  /// Signals that end a wait for the lock, or are passed on to the command.
  static constexpr std::array passed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

  inherited_signals();

  /// Blocks the signals that are passed on, and SIGCHLD, for a signalfd. Returns the signals of the
  /// signalfd.
  sigset_t block() const;

  /// For the holder process, to which the front process passes signals on.
  void ignore() const;

  /// Makes all as it was found. Async-signal-safe.
  void restore() const noexcept;

 private:
  // Signals that a write could raise, which must neither end nor stop this process.
  static constexpr std::array also_changed{SIGPIPE, SIGTSTP, SIGTTOU};

  std::array<bool, passed_on.size()> ignored_{};
  std::array<bool, also_changed.size()> also_ignored_{};
  bool children_ignored_ = false;
  sigset_t mask_{};
};

} // namespace zklock::cli
