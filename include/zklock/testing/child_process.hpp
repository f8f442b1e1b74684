#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/error.hpp>

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zklock::testing {

/// What a child process is started with.
struct child_options {
  /// The program and its arguments. A program without a slash is looked for on the `PATH`.
  std::vector<std::string> command{};

  /// The folder that it runs in; empty: that of this process.
  std::filesystem::path folder{};

  /// Whether its standard input and output are connected to the `child_process`, for lines.
  bool piped = false;

  /// The file that its standard error is appended to, and its standard output unless `piped`. There
  /// is nothing to read for it then unless `piped`. Empty: it shares the streams of this process.
  std::filesystem::path log{};

  /// A descriptor that stays open in it under the same number; all others are closed there, except
  /// the three standard ones. -1: none.
  int kept_open = -1;

  /// Whether it is killed when this process ends, in whatever way.
  bool dies_with_parent = true;
};

/// A program that runs as a child of this one. It dies with this process, and inherits no
/// descriptor: with a copy of a socket, it would keep connections open that this process has
/// closed. Unless it shares all streams of this process, it has a process group of its own, so that
/// an interrupt from the terminal is for this process alone.
///
/// The destructor kills it and waits for its end.
///
/// Thread safety: reading and writing lines from one thread at a time; all else is safe.
class ZKLOCK_EXPORT child_process {
 public:
  /// Starts it. Throws `error` when the program cannot be executed.
  explicit child_process(const child_options& options);

  ~child_process();

  /// Takes the program over; `other` has none then.
  child_process(child_process&& other) noexcept;

  /// Kills the program of this object, waits for its end, and takes over that of `other`.
  child_process& operator=(child_process&& other) noexcept;

  /// Returns its process id.
  pid_t id() const;

  /// Sends it a signal. Does nothing when it has ended.
  void signal(int number);

  /// Halts it, and waits until it is halted or has ended.
  void halt();

  /// Waits until it is halted. Returns false when it ends instead.
  bool wait_for_halt() const;

  /// Waits for its end. Returns whether it has ended within `limit`.
  bool wait_for_end(std::chrono::milliseconds limit) const;

  /// Returns whether it has ended.
  bool has_ended() const { return wait_for_end(std::chrono::milliseconds(0)); }

  /// Waits for its end, without a limit. Returns its status as a shell does: 128 and more for a
  /// signal.
  int wait() const;

  /// Asks it to end by `SIGTERM`, and kills it when it has not ended within `limit`. Returns its
  /// status like `wait()`.
  int stop(std::chrono::milliseconds limit = std::chrono::seconds(10));

  /// Returns how it ended: `it ended with status 1`. It must have ended.
  std::string how_it_ended() const;

  /// Writes a line to its standard input, which must be `piped`. Never waits. Throws `error` when
  /// it has ended, or has left some 100 kB unread.
  void write_line(const std::string& line);

  /// Ends its standard input, which must be `piped`.
  void close_input();

  /// Waits for the next line of its standard output, which must be `piped`. Throws `error` when the
  /// output ends or no line comes within `limit`.
  std::string read_line(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Like `read_line()`, but returns nothing when no line comes within `limit`.
  std::optional<std::string> try_read_line(std::chrono::milliseconds limit);

 private:
  class impl;
  friend class temporary_directory;

  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing
