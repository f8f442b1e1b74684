#include "testing/spawn.hpp"

#include "support/unique_descriptor.hpp"
#include "support/wait_for_exec.hpp"
#include "testing/child_process.hpp"
#include "testing/find_program.hpp"
#include "testing/system_call.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace zklock::testing {
namespace {

using detail::unique_descriptor;

/// The data of the child, made before the fork: between fork and exec nothing may be allocated.
struct prepared {
  const char* program;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder;
  /// The descriptors of the standard streams; -1 keeps the parent's stream.
  std::array<int, 3> streams;
  bool own_group;
  int kept_open;
  int report;
  bool dies_with_parent;
  pid_t parent;
};

void close_from(unsigned first) {
  if (::syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  // For kernels before 5.11. Marked instead of closed: the pipe of the report is open until exec.
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

bool set_streams(const std::array<int, 3>& streams) {
  for (int i = 0; i < 3; ++i)
    if (const int one = streams[static_cast<std::size_t>(i)]; one >= 0 && ::dup2(one, i) < 0)
      return false;
  return true;
}

[[noreturn]] void become(const prepared& child) {
  if (child.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have ended before prctl.
    if (::getppid() != child.parent) ::_exit(127);
  }
  if (child.own_group) ::setpgid(0, 0);
  unblock_signals();
  if (::chdir(child.folder) == 0 && set_streams(child.streams)) {
    close_from(3);
    if (child.kept_open >= 0) ::fcntl(child.kept_open, F_SETFD, 0);
    ::execve(child.program, child.arguments.data(), child.environment.data());
  }
  int why = errno;
  [[maybe_unused]] auto written = ::write(child.report, &why, sizeof why);
  ::_exit(127);
}

std::filesystem::path path_of(const std::string& program) {
  if (program.find('/') != program.npos) return program;
  if (auto found = find_program(program); !found.empty()) return found;
  throw error("cannot start " + program + ": there is no such program on the PATH");
}

/// Returns the environment of this process, with some variables set.
std::vector<char*> environment_with(std::vector<std::string>& variables) {
  std::vector<char*> all;
  for (auto& each : variables)
    all.push_back(each.data());
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view inherited(*each);
    const auto name = inherited.substr(0, inherited.find('=') + 1);
    const auto is_set = [name](const std::string& set) { return set.starts_with(name); };
    if (std::none_of(variables.begin(), variables.end(), is_set)) all.push_back(*each);
  }
  all.push_back(nullptr);
  return all;
}

unique_descriptor open_log(const std::filesystem::path& path) {
  if (path.empty()) return unique_descriptor();
  unique_descriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (log.get() < 0) throw_system_error("cannot write to " + path.string());
  return log;
}

} // namespace

// Not posix_spawn, which cannot set the parent-death signal.
pid_t spawn(const child_options& options, int streams) {
  const unique_descriptor log = open_log(options.log);
  const bool reads_nothing = streams < 0 && log.get() >= 0;
  const unique_descriptor nothing(reads_nothing ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_system_error("cannot create a pipe");
  const unique_descriptor report(ends[0]);
  unique_descriptor report_of_child(ends[1]);

  std::vector<std::string> command = options.command;
  std::vector<std::string> variables = options.environment;
  const std::filesystem::path program = path_of(command.front());
  prepared child{.program = program.c_str(),
                 .arguments = {},
                 .environment = environment_with(variables),
                 .folder = options.folder.empty() ? "." : options.folder.c_str(),
                 .streams = {streams < 0 ? nothing.get() : streams,
                             streams < 0 ? log.get() : streams, log.get()},
                 .own_group = streams >= 0 || log.get() >= 0,
                 .kept_open = options.kept_open,
                 .report = report_of_child.get(),
                 .dies_with_parent = options.dies_with_parent,
                 .parent = ::getpid()};
  for (auto& argument : command)
    child.arguments.push_back(argument.data());
  child.arguments.push_back(nullptr);

  const pid_t id = ::fork();
  if (id < 0) throw_system_error("cannot start " + command.front());
  if (id == 0) become(child);

  report_of_child = unique_descriptor();
  const int why = detail::wait_for_exec(report.get());
  if (why == 0) return id;
  ::waitpid(id, nullptr, 0);
  throw_system_error("cannot execute " + command.front(), why);
}

} // namespace zklock::testing
