#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

/// Where a child's output goes.
enum class child_output { inherited, piped };

/// A program that runs as a child of this one. It is killed when this one dies, in whatever way,
/// and is killed and waited for by the destructor.
///
/// Linux ties the former to the thread that started the child: start it on the main thread.
class child_process {
 public:
  /// Starts `command`: a program, looked for on the PATH unless it has a slash in it, and its
  /// arguments. With `child_output::piped` it also gets a process group of its own, so that Ctrl-C
  /// is for this program alone. Throws `std::system_error` where it cannot be executed.
  child_process(std::vector<std::string> command, child_output output);

  ~child_process();

  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;

  /// Reads a line of its output, which must be piped; empty where it ended without one.
  std::string read_line();

  /// Waits for its end; returns its status as a shell does: 128 and more for a signal.
  int wait();

  /// Asks it to end, and kills it where it has not within `limit`; returns its status.
  int stop(std::chrono::milliseconds limit = std::chrono::seconds(10));

 private:
  pid_t id_ = 0;
  int output_ = -1;
};
