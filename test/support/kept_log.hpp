#pragma once

#include <zklock/log.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::test {

/// Keeps the lines of clients' logs. Any thread may write and count them.
class kept_log {
 public:
  /// Returns the log function of a client, which must not outlive this object.
  log_function writer() {
    return [this](log_level, std::string_view line) {
      const std::lock_guard guard(mutex_);
      lines_.emplace_back(line);
    };
  }

  /// Returns how many lines have this part.
  std::size_t count(std::string_view part) const {
    const std::lock_guard guard(mutex_);
    return static_cast<std::size_t>(
        std::count_if(lines_.begin(), lines_.end(),
                      [&](const std::string& line) { return line.find(part) != line.npos; }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

} // namespace zklock::test
