#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace zklock::test {

/// A child process that exchanges lines with a test. It is killed at the end.
class helper_process {
 public:
  helper_process(const std::string& program, std::vector<std::string> arguments) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    to_ = in[1];
    from_ = out[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    arguments.insert(arguments.begin(), program);
    std::vector<char*> raw;
    for (auto& each : arguments)
      raw.push_back(each.data());
    raw.push_back(nullptr);
    const int failed = ::posix_spawn(&id_, program.c_str(), &actions, nullptr, raw.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    if (failed != 0) throw std::runtime_error("cannot start " + program);
  }

  ~helper_process() {
    signal(SIGKILL);
    ::waitpid(id_, nullptr, 0);
    ::close(to_);
    ::close(from_);
  }

  helper_process(const helper_process&) = delete;
  helper_process& operator=(const helper_process&) = delete;

  void signal(int number) const { ::kill(id_, number); }

  void say(std::string line) const {
    line += '\n';
    if (::write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error("the helper process does not read its input");
  }

  /// Waits for the next line.
  std::string hear() {
    auto line = hear_within(std::chrono::seconds(30));
    if (!line) throw std::runtime_error("the helper process printed no line in time");
    return *line;
  }

  /// Waits for the next line; returns nothing where none comes in time.
  std::optional<std::string> hear_within(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (;;) {
      if (const auto end = heard_.find('\n'); end != heard_.npos) {
        const auto line = heard_.substr(0, end);
        heard_.erase(0, end + 1);
        return line;
      }
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd readable{from_, POLLIN, 0};
      const int ready = ::poll(&readable, 1, static_cast<int>(std::max<long>(left.count(), 0)));
      if (ready < 0 && errno == EINTR) continue;
      if (ready != 1) return std::nullopt;
      std::array<char, 256> piece{};
      const auto size = ::read(from_, piece.data(), piece.size());
      if (size <= 0) throw std::runtime_error("the helper process has ended");
      heard_.append(piece.data(), static_cast<std::size_t>(size));
    }
  }

  /// Waits until the process has stopped itself.
  void wait_until_halted() const {
    int status = 0;
    if (::waitpid(id_, &status, WUNTRACED) != id_ || !WIFSTOPPED(status))
      throw std::runtime_error("the helper process has not halted");
  }

 private:
  pid_t id_ = 0;
  int to_ = -1;
  int from_ = -1;
  std::string heard_;
};

} // namespace zklock::test
