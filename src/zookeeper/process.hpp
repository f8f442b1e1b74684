#pragma once

#include <mutex>

namespace zklock::zookeeper {

/// Remembers the process in which it was made.
///
/// Thread safety: safe, but for assigning.
class process_mark {
 public:
  process_mark() noexcept;

  /// Whether this is that process still: false in a child that `fork` has made since.
  bool is_current() const noexcept;

 private:
  unsigned forks_;
};

/// The mutexes that threads of the process share for ever, or until its end. A fork waits until
/// they are free: its child has none of the threads that would unlock them, and finds what they
/// protect whole.
struct process_mutexes {
  /// For what only one thread may be in: the C client.
  std::mutex c_client;
  /// For the threads that end sessions.
  std::mutex enders;
  /// For the lists of clients that execution contexts have.
  std::mutex clients;
};

process_mutexes& mutexes_of_process() noexcept;

/// In the child of a fork: lets the descriptor go, and makes its number one of something else. What
/// is done with the number afterwards concerns neither a connection nor a reactor of the parent,
/// which knows it by number and open file.
void disown(int descriptor) noexcept;

} // namespace zklock::zookeeper
