#pragma once

#include <mutex>

namespace zklock::zookeeper {

/// Identifies the process in which it was constructed.
///
/// Thread safety: safe, except assignment.
class process_mark {
 public:
  process_mark() noexcept;

  /// Whether the caller runs in that process: false in the child of a later `fork`.
  bool is_current() const noexcept;

 private:
  unsigned forks_;
};

/// The mutexes of the process. A fork locks them: its child has no other thread that could unlock
/// them, and the state that they protect is consistent there.
struct process_mutexes {
  /// Protects the C client, which is not thread-safe.
  std::mutex c_client;
  /// Protects the threads that close sessions.
  std::mutex closers;
  /// Protects the lists of clients and of kept executors of each execution context.
  std::mutex clients;
};

process_mutexes& mutexes_of_process() noexcept;

/// Closes a descriptor in the child of a fork, and gives its number to another open file. Later
/// calls with the number then affect neither a connection nor the reactor of the parent, which the
/// child shares.
void disown(int descriptor) noexcept;

} // namespace zklock::zookeeper
