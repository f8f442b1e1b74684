#pragma once

#include <zklock/testing/error.hpp>

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zklock::testing {

/// The options of a `child_process`.
struct child_options {
  /// The program and its arguments. A program without a slash is searched on the `PATH`.
  std::vector<std::string> command{};

  /// Variables of the environment, as `NAME=VALUE`, which replace variables of this process with
  /// equal names. The child inherits all other variables of this process.
  std::vector<std::string> environment{};

  /// The working directory; if empty, the child inherits the directory of this process.
  std::filesystem::path folder{};

  /// Whether standard input and output are connected to the `child_process` object.
  bool piped = false;

  /// The file to which standard error is appended, and standard output unless `piped`. With a file,
  /// standard input is empty unless `piped`. If the path is empty, the child shares the streams of
  /// this process.
  std::filesystem::path log{};

  /// A descriptor that stays open in the child under the same number; -1 for none. All other
  /// descriptors are closed there, except the three standard streams.
  int kept_open = -1;

  /// Whether the child is killed when this process ends for any reason.
  bool dies_with_parent = true;
};

/// A child process. It is killed when this process ends, unless `child_options::dies_with_parent`
/// is false. The child inherits no descriptor: a copy of a socket would keep a connection open that
/// this process has closed. Unless the child shares all streams of this process, it has its own
/// process group, so that an interrupt from the terminal does not reach it.
///
/// Thread safety: safe, except that only a single thread at a time may read or write lines.
class child_process {
 public:
  /// Starts the process. Blocks until the program is executed. Throws `error` if that fails.
  explicit child_process(const child_options& options);

  /// Kills the process. Blocks until it has ended.
  ~child_process();

  /// Moves the process; `other` is empty afterwards.
  child_process(child_process&& other) noexcept;

  /// Kills the process of this object, blocks until it has ended, and takes the process of `other`.
  child_process& operator=(child_process&& other) noexcept;

  /// Returns the process id.
  pid_t id() const;

  /// Sends a signal. Does nothing if the process has ended.
  void signal(int number);

  /// Halts the process by `SIGSTOP`. Blocks until it is halted or has ended.
  void halt();

  /// Blocks until the process is halted. Returns false if it has ended instead.
  bool wait_for_halt() const;

  /// Blocks until the process has ended, for `limit` at most. Returns whether it has ended.
  bool wait_for_end(std::chrono::milliseconds limit) const;

  /// Returns whether the process has ended.
  bool has_ended() const { return wait_for_end(std::chrono::milliseconds(0)); }

  /// Blocks until the process has ended, without a limit. Returns its exit status, or 128 plus the
  /// number of the signal that killed it.
  int wait() const;

  /// Ends the process by `SIGTERM`, or by `SIGKILL` after `limit`. Blocks until it has ended.
  /// Returns its status like `wait()`.
  int stop(std::chrono::milliseconds limit = std::chrono::seconds(10));

  /// Returns how the process ended: `it ended with status 1`. It must have ended.
  std::string how_it_ended() const;

  /// Writes a line to standard input, which must be `piped`. Does not block. Throws `error` if the
  /// process has ended, or about 100 kB are unread.
  void write_line(const std::string& line);

  /// Closes standard input, which must be `piped`.
  void close_input();

  /// Reads a line of standard output, which must be `piped`. Blocks until a line is complete, for
  /// `limit` at most. Throws `error` at the limit, or if the output ends.
  std::string read_line(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Reads a line of standard output, which must be `piped`. Blocks until a line is complete, for
  /// `limit` at most. Returns nothing at the limit. Throws `error` if the output ends.
  std::optional<std::string> try_read_line(std::chrono::milliseconds limit);

 private:
  class impl;
  friend class temporary_directory;

  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing
