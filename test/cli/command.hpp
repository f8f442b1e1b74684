#pragma once

#include "support/background.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace zklock::test {

/// Returns whether a process exists and has not ended.
inline bool is_alive(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text;
  return std::getline(file, text) && text.find(") Z ") == text.npos;
}

/// A run of the program `zklock`.
class command {
 public:
  /// `environment` has further variables, as `NAME=VALUE`.
  explicit command(std::vector<std::string> arguments, std::vector<std::string> environment = {})
      : log_(directory_.path() / "errors"),
        process_(start(std::move(arguments), std::move(environment))) {}

  /// Waits for a line of its standard output.
  std::string read_line() { return process_.read_line(); }

  /// Waits for the end of its standard output, and returns the lines.
  std::vector<std::string> read_all() {
    std::vector<std::string> lines;
    try {
      for (;;)
        lines.push_back(read_line());
    } catch (const testing::error&) {
      return lines;
    }
  }

  /// Waits for its end, and returns its code as a shell does.
  int wait() {
    if (!process_.wait_for_end(std::chrono::seconds(30)))
      throw std::runtime_error("zklock has not ended in time: " + errors());
    return process_.wait();
  }

  /// Returns the text that the command has written to standard error.
  std::string errors() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Returns whether standard error has this text.
  bool says(const std::string& text) const { return errors().find(text) != std::string::npos; }

  /// Returns whether standard error tells that a lock is lost. On a busy machine, the process that
  /// holds the lock may be too late to learn that.
  bool tells_loss_of(const std::string& path) const {
    return says("zklock: lost " + path) ||
           says("zklock: " + path + " may have passed on while zklock could not run");
  }

  testing::child_process& process() { return process_; }

  /// Returns the process that holds the lock.
  pid_t holder() const {
    const auto id = std::to_string(process_.id());
    std::ifstream file("/proc/" + id + "/task/" + id + "/children");
    pid_t child = 0;
    if (!(file >> child)) throw std::runtime_error("zklock has no child: " + errors());
    return child;
  }

 private:
  testing::child_process start(std::vector<std::string> arguments,
                               std::vector<std::string> environment) const {
    arguments.insert(arguments.begin(), ZKLOCK_COMMAND);
    return testing::child_process({.command = std::move(arguments),
                                   .environment = std::move(environment),
                                   .piped = true,
                                   .log = log_});
  }

  testing::temporary_directory directory_;
  std::filesystem::path log_;
  testing::child_process process_;
};

/// Returns the arguments of `zklock run` with servers and a short session. `arguments` are its
/// further options, the path and the command.
inline std::vector<std::string>
run_arguments(const std::vector<std::string>& arguments,
              const std::string& servers = shared_server().address()) {
  std::vector<std::string> all{"run", "--servers",     servers, "--session-timeout",
                               "4",   "--server-tick", "500ms"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

/// A run of `zklock run`.
inline command start_run(const std::vector<std::string>& arguments,
                         const std::string& servers = shared_server().address()) {
  return command(run_arguments(arguments, servers));
}

/// A lock, and a session that observes it.
struct observed_lock {
  testing::raw_client witness{shared_server().direct_address()};
  std::string path = fresh_path();

  std::size_t entries() { return test::entries(witness, path); }
  void wait_for_entries(std::size_t count) {
    wait_until([this, count] { return entries() == count; });
  }
};

/// A command of a shell that prints a line and goes on until it is ended. It does not end by
/// SIGTERM, and prints a line for each.
inline std::string stubborn() {
  return "trap 'echo term' TERM; echo $$; while :; do sleep 0.05; done";
}

} // namespace zklock::test
