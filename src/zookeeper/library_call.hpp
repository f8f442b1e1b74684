#pragma once

#include "zookeeper/wire.hpp"

#include <mutex>
#include <string>

namespace zklock::zookeeper {

/// Stands around every use of the C client.
///
/// All its handles share variables that nothing protects, such as the buffers in which it builds
/// its log. So only one thread of the process may be inside it. Neither its log function nor what
/// it calls of the system is told the handle: they find this object by the thread they run on.
class library_call {
 public:
  /// What the C client sends and receives goes through `through`, and what it has to say is added
  /// to `said`.
  library_call(wire& through, std::string& said);

  /// The same for the end of a handle, which may take long: others may be in the C client
  /// meanwhile. It shares nothing with them but what it would log, which is not said.
  explicit library_call(wire& through);

  ~library_call();

  library_call(const library_call&) = delete;
  library_call& operator=(const library_call&) = delete;

  /// Of the call that is under way on this thread.
  static wire& current() noexcept;

  /// The C client's log function.
  static void collect(const char* line) noexcept;

 private:
  std::unique_lock<std::mutex> lock_;
};

} // namespace zklock::zookeeper
