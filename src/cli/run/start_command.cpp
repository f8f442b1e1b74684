// By hand: neither posix_spawn nor Boost.Process has a child end with its parent, or reports the
// failure of exec as a shell needs it.
#include "cli/run/start_command.hpp"

#include "cli/failure.hpp"
#include "support/unique_descriptor.hpp"
#include "support/wait_for_exec.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace zklock::cli {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& each : texts)
    result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

// Between fork and exec nothing may be allocated.
struct prepared {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  pid_t parent;
  pid_t group;
  int report;
};

[[noreturn]] void become(const prepared& child, const inherited_signals& signals) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The parent may have died before.
  if (::getppid() != child.parent) ::_exit(exit_code::system);
  ::setpgid(0, child.group);
  signals.restore();
  ::execvpe(child.arguments[0], child.arguments.data(), child.environment.data());
  const int why = errno;
  [[maybe_unused]] const auto written = ::write(child.report, &why, sizeof why);
  ::_exit(exit_code::cannot_execute);
}

} // namespace

pid_t start_command(std::vector<std::string> command, std::vector<std::string> environment,
                    pid_t group, const inherited_signals& signals) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw failure(exit_code::system, std::string("cannot make a pipe: ") + std::strerror(errno));
  const detail::unique_descriptor report(ends[0]);
  detail::unique_descriptor report_of_child(ends[1]);
  const prepared child{.arguments = pointers(command),
                       .environment = pointers(environment),
                       .parent = ::getpid(),
                       .group = group,
                       .report = report_of_child.get()};
  const pid_t id = ::fork();
  if (id < 0)
    throw failure(exit_code::system,
                  std::string("cannot start a process: ") + std::strerror(errno));
  if (id == 0) become(child, signals);
  report_of_child = detail::unique_descriptor();
  const int why = detail::wait_for_exec(report.get());
  if (why == 0) return id;
  ::waitpid(id, nullptr, 0);
  throw failure(why == ENOENT ? exit_code::not_found : exit_code::cannot_execute,
                "cannot execute \"" + command.front() + "\": " + std::strerror(why));
}

} // namespace zklock::cli
