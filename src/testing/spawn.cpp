#include "testing/spawn.hpp"

#include "testing/child_process.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace zklock::testing {
namespace {

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() { reset(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  operator int() const { return number_; }
  void reset() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// All that the child needs, made before: between fork and exec nothing may be allocated.
struct prepared {
  std::vector<char*> arguments;
  const char* folder;
  int input;
  int output;
  int kept_open;
  int report;
  bool dies_with_parent;
  pid_t parent;
};

void close_from(unsigned first) {
  if (::syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  // Kernels before 5.11. Marked rather than closed: the report has to stay until exec.
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  int end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 65536));
  for (int i = static_cast<int>(first); i < end; ++i)
    ::fcntl(i, F_SETFD, FD_CLOEXEC);
}

void unblock_signals() {
  for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD})
    ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const prepared& child) {
  if (child.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // It may have died before.
    if (::getppid() != child.parent) ::_exit(127);
  }
  ::setpgid(0, 0);
  unblock_signals();
  if (::chdir(child.folder) == 0 && ::dup2(child.input, 0) == 0 && ::dup2(child.output, 1) == 1 &&
      ::dup2(child.output, 2) == 2) {
    close_from(3);
    if (child.kept_open >= 0) ::fcntl(child.kept_open, F_SETFD, 0);
    ::execv(child.arguments.front(), child.arguments.data());
  }
  int why = errno;
  [[maybe_unused]] auto written = ::write(child.report, &why, sizeof why);
  ::_exit(127);
}

} // namespace

pid_t spawn(const child_options& options) {
  auto output_flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  descriptor output(::open(options.output.c_str(), output_flags, 0644));
  if (output < 0) throw_system_error("cannot write to " + options.output.string());
  descriptor nothing(options.input < 0 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_system_error("cannot make a pipe");
  descriptor report(ends[0]);
  descriptor report_of_child(ends[1]);

  std::vector<std::string> command = options.command;
  prepared child{.arguments = {},
                 .folder = options.folder.c_str(),
                 .input = options.input < 0 ? nothing : options.input,
                 .output = output,
                 .kept_open = options.kept_open,
                 .report = report_of_child,
                 .dies_with_parent = options.dies_with_parent,
                 .parent = ::getpid()};
  for (auto& argument : command)
    child.arguments.push_back(argument.data());
  child.arguments.push_back(nullptr);

  pid_t id = ::fork();
  if (id < 0) throw_system_error("cannot start " + command.front());
  if (id == 0) become(child);

  report_of_child.reset();
  int why = 0;
  ssize_t size;
  do
    size = ::read(report, &why, sizeof why);
  while (size < 0 && errno == EINTR);
  if (size != sizeof why) return id;
  ::waitpid(id, nullptr, 0);
  throw_system_error("cannot execute " + command.front(), why);
}

} // namespace zklock::testing
