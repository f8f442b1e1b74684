#pragma once

#include "zookeeper/logger.hpp"

#include <mutex>
#include <string>
#include <vector>

namespace zklock::zookeeper {

/// Stands around every use of the C client.
///
/// All its handles share variables that nothing protects: the number of the next request, the
/// buffers in which it builds its log. So only one thread of the process may be inside it. Its log
/// function knows neither the handle nor a context: it finds this object by the thread it runs on.
class library_call {
 public:
  explicit library_call(const logger& log);

  /// Logs what the C client said, which only now is out of the way.
  ~library_call();

  library_call(const library_call&) = delete;
  library_call& operator=(const library_call&) = delete;

  /// The C client's log function.
  static void collect(const char* line) noexcept;

 private:
  const logger& log_;
  std::unique_lock<std::mutex> lock_;
  std::vector<std::string> lines_;
};

} // namespace zklock::zookeeper
