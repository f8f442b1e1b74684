#pragma once

#include "testing/system_call.hpp"

#include <sys/types.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace zklock::testing {

/// What a child process is started with.
struct child_options {
  std::vector<std::string> command;
  std::filesystem::path folder;
  /// Where its output goes, both kinds; it is appended.
  std::filesystem::path output;
  /// Becomes its standard input; -1 for nothing.
  int input = -1;
  /// Is left open in it, under whatever number; -1 for nothing.
  int kept_open = -1;
  /// Whether it is killed when this process ends.
  bool dies_with_parent = true;
};

/// A process that was started here, with a thread that starts it and waits for its end: Linux
/// kills a child not when its parent process dies but when the thread does that made it.
class child_process {
 public:
  /// Starts it; throws `error` when the program cannot be executed.
  explicit child_process(child_options options);

  /// Kills it if it still runs.
  ~child_process();

  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  /// Sends a signal; nothing if it has ended.
  void signal(int number);

  /// Halts it, and waits until it is.
  void halt();

  /// Waits for its end; returns whether it has ended.
  bool wait_for_end(std::chrono::milliseconds limit) const;
  bool has_ended() const { return wait_for_end(std::chrono::milliseconds(0)); }

  pid_t id() const;

  /// Returns, once it has ended, how: "it ended with status 1".
  std::string how_it_ended() const;

 private:
  void run(const child_options& options);
  void wait_and_reap();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool started_ = false;
  bool ended_ = false;
  pid_t id_ = 0;
  int status_ = 0;
  std::string problem_;
  std::thread thread_;
};

} // namespace zklock::testing
