#pragma once

#include <zklock/testing/error.hpp>

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>

namespace zklock::testing {

/// Throws `error` with the action and the message of `code`.
[[noreturn]] inline void throw_system_error(const std::string& action, int code = errno) {
  throw error(action + ": " + std::generic_category().message(code));
}

/// Sets FD_CLOEXEC, which Asio does not set on its sockets.
inline void close_on_exec(int descriptor) noexcept {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/// Blocks all signals on this thread. Threads that are started meanwhile inherit that: the
/// program's signal handlers must not run on them.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  sigset_t before_;
};

/// The end of a time limit.
class deadline {
 public:
  explicit deadline(std::chrono::milliseconds limit)
      : time_(std::chrono::steady_clock::now() + limit) {}

  std::chrono::milliseconds left() const {
    auto rest =
        std::chrono::ceil<std::chrono::milliseconds>(time_ - std::chrono::steady_clock::now());
    return rest.count() < 0 ? std::chrono::milliseconds(0) : rest;
  }
  bool over() const { return std::chrono::steady_clock::now() >= time_; }
  std::chrono::steady_clock::time_point time() const { return time_; }

 private:
  std::chrono::steady_clock::time_point time_;
};

} // namespace zklock::testing
