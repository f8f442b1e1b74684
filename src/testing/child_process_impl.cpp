#include "testing/child_process_impl.hpp"

#include "testing/spawn.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>

namespace zklock::testing {
namespace {

using detail::unique_descriptor;

/// A pair of sockets serves both directions, and a write without a reader raises no signal.
std::array<unique_descriptor, 2> make_streams() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw_system_error("cannot create a pair of sockets");
  return {unique_descriptor(ends[0]), unique_descriptor(ends[1])};
}

/// Blocks until the socket is readable. Returns false at the deadline.
bool wait_readable(int socket, deadline until) {
  pollfd one{socket, POLLIN, 0};
  for (;;) {
    const int ready = ::poll(&one, 1, static_cast<int>(until.left().count()));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) throw_system_error("cannot wait for the output of a child process");
  }
}

} // namespace

child_process::impl::impl(const child_options& options) : program_(options.command.at(0)) {
  unique_descriptor streams;
  if (options.piped) {
    auto ends = make_streams();
    socket_ = std::move(ends[0]);
    streams = std::move(ends[1]);
  }
  {
    signals_blocked block;
    thread_ = std::thread([&, this] { run(options, streams.get()); });
  }
  // The options must exist until the thread has started the child.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return started_; });
  if (problem_.empty()) return;
  lock.unlock();
  thread_.join();
  throw error(problem_);
}

child_process::impl::~impl() {
  signal(SIGKILL);
  thread_.join();
}

void child_process::impl::run(const child_options& options, int streams) {
  pid_t id = 0;
  std::string problem;
  try {
    id = spawn(options, streams);
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

void child_process::impl::wait_and_reap() {
  // WNOWAIT: until the process is reaped, its id belongs to no other process. So `signal` is safe.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  std::lock_guard lock(mutex_);
  ::waitpid(id_, &status_, 0);
  ended_ = true;
  changed_.notify_all();
}

void child_process::impl::signal(int number) {
  std::lock_guard lock(mutex_);
  if (!ended_) ::kill(id_, number);
}

bool child_process::impl::wait_for_halt() const {
  siginfo_t info{};
  int failed;
  do
    failed = ::waitid(P_PID, static_cast<id_t>(id()), &info, WSTOPPED);
  while (failed != 0 && errno == EINTR);
  return failed == 0;
}

bool child_process::impl::wait_for_end(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return ended_; });
}

int child_process::impl::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_; });
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

pid_t child_process::impl::id() const {
  std::lock_guard lock(mutex_);
  return id_;
}

std::string child_process::impl::how_it_ended() const {
  std::lock_guard lock(mutex_);
  if (WIFSIGNALED(status_)) return "it was ended by signal " + std::to_string(WTERMSIG(status_));
  return "it ended with status " + std::to_string(WEXITSTATUS(status_));
}

void child_process::impl::write(std::string_view text) {
  while (!text.empty()) {
    // Not blocking: with a full buffer the child does not read, and may never do so.
    const auto sent = ::send(socket(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw_system_error("cannot write to " + name());
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void child_process::impl::close_input() {
  ::shutdown(socket(), SHUT_WR);
}

std::optional<std::string> child_process::impl::read_line(std::chrono::milliseconds limit) {
  const deadline until(limit);
  for (;;) {
    if (const auto end = unread_.find('\n'); end != unread_.npos) {
      auto line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (!wait_readable(socket(), until)) return std::nullopt;
    std::array<char, 256> piece;
    const auto size = ::recv(socket(), piece.data(), piece.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    // A child that ends with unread input resets the connection.
    if (size <= 0) throw error("the output of " + name() + " has ended");
    unread_.append(piece.data(), static_cast<std::size_t>(size));
  }
}

std::string child_process::impl::name() const {
  return program_ + ", process " + std::to_string(id());
}

} // namespace zklock::testing
