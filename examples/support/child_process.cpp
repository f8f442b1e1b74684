#include "child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace {

[[noreturn]] void fail(const std::string& action, int code = errno) {
  throw std::system_error(code, std::generic_category(), action);
}

struct pipe_ends {
  int read;
  int write;
};

pipe_ends make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe");
  return {ends[0], ends[1]};
}

// Between fork and exec nothing may be allocated: all that is needed was made before.
[[noreturn]] void become(char* const* arguments, pid_t parent, int output, int report) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have died before.
  if (::getppid() != parent) ::_exit(127);
  if (output >= 0) {
    ::setpgid(0, 0);
    ::dup2(output, STDOUT_FILENO);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvp(arguments[0], arguments);
  const int why = errno;
  [[maybe_unused]] const auto written = ::write(report, &why, sizeof why);
  ::_exit(127);
}

int as_shell(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

child_process::child_process(std::vector<std::string> command, child_output output) {
  std::vector<char*> arguments;
  for (auto& argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);

  const auto report = make_pipe();
  pipe_ends piped{-1, -1};
  if (output == child_output::piped) piped = make_pipe();
  output_ = piped.read;

  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) become(arguments.data(), parent, piped.write, report.write);
  int why = id_ < 0 ? errno : 0;
  ::close(report.write);
  if (piped.write >= 0) ::close(piped.write);

  // The other end is closed by a successful exec.
  if (id_ > 0)
    while (::read(report.read, &why, sizeof why) < 0 && errno == EINTR) {}
  ::close(report.read);
  if (why == 0) return;
  if (id_ > 0) ::waitpid(id_, nullptr, 0);
  if (output_ >= 0) ::close(output_);
  fail("cannot start " + command.front(), why);
}

child_process::~child_process() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    wait();
  }
  if (output_ >= 0) ::close(output_);
}

child_process::child_process(child_process&& other) noexcept
    : id_(std::exchange(other.id_, 0)), output_(std::exchange(other.output_, -1)) {}

std::string child_process::read_line() {
  std::string line;
  for (char c = 0;;) {
    const auto size = ::read(output_, &c, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || c == '\n') return line;
    line += c;
  }
}

int child_process::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
  id_ = 0;
  return as_shell(status);
}

int child_process::stop(std::chrono::milliseconds limit) {
  ::kill(id_, SIGTERM);
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
      id_ = 0;
      return as_shell(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(id_, SIGKILL);
  return wait();
}
