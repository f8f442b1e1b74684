#pragma once

#include <mutex>
#include <string>

namespace zklock::zookeeper {

/// Stands around every use of the C client.
///
/// All its handles share variables that nothing protects, such as the buffers in which it builds its
/// log. So only one thread of the process may be inside it. Its log function knows neither the
/// handle nor a context: it finds this object by the thread it runs on.
class library_call {
 public:
  /// What the C client has to say is added to `said`.
  explicit library_call(std::string& said);
  ~library_call();

  library_call(const library_call&) = delete;
  library_call& operator=(const library_call&) = delete;

  /// The C client's log function.
  static void collect(const char* line) noexcept;

 private:
  std::unique_lock<std::mutex> lock_;
};

} // namespace zklock::zookeeper
