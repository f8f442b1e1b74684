#include "testing/child_process.hpp"

#include "testing/spawn.hpp"

#include <sys/wait.h>

namespace zklock::testing {

child_process::child_process(child_options options) {
  {
    signals_blocked block;
    thread_ = std::thread([this, given = std::move(options)] { run(given); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return started_; });
  if (problem_.empty()) return;
  lock.unlock();
  thread_.join();
  throw error(problem_);
}

child_process::~child_process() {
  signal(SIGKILL);
  thread_.join();
}

void child_process::run(const child_options& options) {
  pid_t id = 0;
  std::string problem;
  try {
    id = spawn(options);
  } catch (const std::exception& e) {
    problem = e.what();
  }
  {
    std::lock_guard lock(mutex_);
    started_ = true;
    id_ = id;
    ended_ = !problem.empty();
    problem_ = problem;
    changed_.notify_all();
  }
  if (problem.empty()) wait_and_reap();
}

void child_process::wait_and_reap() {
  // Not reaped by this call: until it is, its number is nobody else's and can be sent signals.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  std::lock_guard lock(mutex_);
  ::waitpid(id_, &status_, 0);
  ended_ = true;
  changed_.notify_all();
}

void child_process::signal(int number) {
  std::lock_guard lock(mutex_);
  if (!ended_) ::kill(id_, number);
}

void child_process::halt() {
  signal(SIGSTOP);
  // Returns as well when the process ends instead: then there is nothing to wait for.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(id()), &info, WSTOPPED) != 0 && errno == EINTR) {}
}

bool child_process::wait_for_end(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return ended_; });
}

pid_t child_process::id() const {
  std::lock_guard lock(mutex_);
  return id_;
}

std::string child_process::how_it_ended() const {
  std::lock_guard lock(mutex_);
  if (WIFSIGNALED(status_)) return "it was ended by signal " + std::to_string(WTERMSIG(status_));
  return "it ended with status " + std::to_string(WEXITSTATUS(status_));
}

} // namespace zklock::testing
