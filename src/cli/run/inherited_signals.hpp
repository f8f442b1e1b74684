#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace zklock::cli {

/// The signals as this process found them when it was started. Those that are ignored, as after
/// `nohup` or in the background of a script, stay ignored, here and in the command.
class inherited_signals {
 public:
  /// Signals that end a wait for the lock, or are passed on to the command.
  static constexpr std::array passed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

  inherited_signals();

  /// Blocks the signals that are passed on, and those about children, for a signalfd. Returns what
  /// it must have.
  sigset_t block() const;

  /// In the process that holds the lock: signals arrive through the other process.
  void ignore() const;

  /// Makes all as it was found. Async-signal-safe.
  void restore() const noexcept;

 private:
  // Others than those are changed, too: writing must not end us, nor stop us.
  static constexpr std::array also_changed{SIGPIPE, SIGTSTP, SIGTTOU};

  std::array<bool, passed_on.size()> ignored_{};
  std::array<bool, also_changed.size()> also_ignored_{};
  bool children_ignored_ = false;
  sigset_t mask_{};
};

} // namespace zklock::cli
