#include "cli/run/front_process.hpp"

#include "cli/failure.hpp"
#include "cli/run/signal_channel.hpp"
#include "cli/run/timer.hpp"
#include "support/timer_descriptor.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

namespace zklock::cli {

namespace {

// A shell that has become this program by exec may have left children.
std::vector<pid_t> present_children(const process_list& all) {
  std::vector<pid_t> result;
  for (const auto& each : all.descendants())
    if (each.parent == ::getpid()) result.push_back(each.id);
  return result;
}

detail::unique_descriptor make_signal_descriptor(const sigset_t& taken) {
  detail::unique_descriptor result(::signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC));
  if (result.get() < 0)
    throw failure(exit_code::system,
                  std::string("cannot wait for signals: ") + std::strerror(errno));
  return result;
}

} // namespace

front_process::front_process(const shared_state& state, sigset_t taken,
                             std::chrono::nanoseconds kill_after)
    : state_(state),
      others_(present_children(processes_)),
      signals_(make_signal_descriptor(taken)),
      timer_(make_timer()),
      kill_after_(kill_after) {}

int front_process::run(pid_t holder, detail::unique_descriptor channel) {
  holder_ = holder;
  channel_ = std::move(channel);
  for (;;) {
    const auto end = state_.end_of_command();
    if (boot_clock::now() >= end) return kill_overdue();
    detail::set_timer_descriptor(timer_.get(), end);
    std::array<pollfd, 3> all{
        {{signals_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}, {channel_.get(), POLLIN, 0}}};
    ::poll(all.data(), all.size(), -1);
    read_pokes();
    pass_signals_on();
    if (status_) return finish();
  }
}

void front_process::pass_signals_on() {
  signalfd_siginfo arrived{};
  while (::read(signals_.get(), &arrived, sizeof arrived) == sizeof arrived) {
    if (arrived.ssi_signo == SIGCHLD) {
      reap();
      continue;
    }
    const passed_signal passed{.number = static_cast<std::uint8_t>(arrived.ssi_signo),
                               .from_terminal = arrived.ssi_code == SI_KERNEL};
    // Fails if the holder process has ended, which SIGCHLD reports.
    [[maybe_unused]] const auto sent =
        ::send(channel_.get(), &passed, sizeof passed, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

void front_process::read_pokes() {
  char ignored = 0;
  ssize_t size;
  do
    size = ::recv(channel_.get(), &ignored, sizeof ignored, MSG_DONTWAIT);
  while (size > 0);
  // Otherwise poll would report the end of the holder process again and again.
  if (size == 0) channel_ = detail::unique_descriptor();
}

void front_process::reap() {
  int status = 0;
  for (pid_t id = 0; (id = ::waitpid(-1, &status, WNOHANG)) > 0;)
    if (id == holder_) status_ = status;
}

int front_process::finish() {
  const auto end = state_.end_of_command();
  if (WIFEXITED(*status_) && end == end.max()) {
    // A shell ends a script only if a program dies of the interrupt.
    if (const int number = state_.last_signal(); number != 0) {
      ::signal(number, SIG_DFL);
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, number);
      ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
      ::raise(number);
    }
    return WEXITSTATUS(*status_);
  }
  if (WIFSIGNALED(*status_))
    report("the process that holds the lock was killed by signal " +
           std::to_string(WTERMSIG(*status_)));
  if (end == end.max()) return exit_code::system;
  end_command(std::min(end, boot_clock::now() + kill_after_));
  return exit_code::lost;
}

int front_process::kill_overdue() {
  report("the process that holds the lock does not run; killing the command");
  // First, so that the processes of the command become children of this process.
  ::kill(holder_, SIGKILL);
  while (!status_ && ::waitpid(holder_, nullptr, 0) < 0 && errno == EINTR) {}
  end_command(boot_clock::now());
  return exit_code::lost;
}

void front_process::end_command(boot_clock::time_point kill) {
  if (boot_clock::now() < kill) {
    signal_command(SIGTERM);
    signal_command(SIGCONT);
  }
  // An end of a process that is not ours is not reported.
  constexpr int pause = 10;
  while (signal_command(boot_clock::now() < kill ? 0 : SIGKILL)) {
    pollfd one{signals_.get(), POLLIN, 0};
    ::poll(&one, 1, pause);
    pass_signals_on();
    reap();
  }
}

// Returns whether any process of the command is left.
bool front_process::signal_command(int number) const {
  bool any = false;
  for (const auto& each : processes_.descendants(others_)) {
    if (each.id == holder_) continue;
    any = true;
    ::kill(each.id, number);
  }
  return any;
}

} // namespace zklock::cli
