#pragma once

#include "zookeeper/wire.hpp"

#include <mutex>
#include <string>

namespace zklock::zookeeper {

/// The scope of each call of the C client.
///
/// All handles of the C client share unprotected variables, such as the buffers of its log. So no
/// two threads of the process may be inside the C client. Its log function and the replaced system
/// functions have no handle as an argument: they find the wire through a thread-local pointer.
class library_call {
 public:
  /// The C client sends and receives through `through`, and its log lines are appended to `log`.
  library_call(wire& through, std::string& log);

  /// For zookeeper_close(), which may block: takes no mutex and drops log lines. zookeeper_close()
  /// shares nothing but the log with other calls.
  explicit library_call(wire& through);

  ~library_call();

  library_call(const library_call&) = delete;
  library_call& operator=(const library_call&) = delete;

  /// The wire of the current call on this thread.
  static wire& current() noexcept;

  /// The C client's log function.
  static void collect(const char* line) noexcept;

 private:
  std::unique_lock<std::mutex> lock_;
};

} // namespace zklock::zookeeper
