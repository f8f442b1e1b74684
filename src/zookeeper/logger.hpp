#pragma once

#include <zklock/log.hpp>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::zookeeper {

/// Composes lines for a log function, which may be empty.
///
/// Attempts to connect mostly repeat the reason for which the attempt before has failed: `once`
/// logs such lines.
class logger {
 public:
  explicit logger(log_function sink) : sink_(std::move(sink)) {}

  template <class... Parts>
  void operator()(log_level level, const Parts&... parts) const {
    if (sink_) sink_(level, line_of(parts...));
  }

  /// Logs a line unless an equal line was logged since `begin_outage`.
  template <class... Parts>
  void once(log_level level, const Parts&... parts) {
    if (!sink_ || logged_.size() == most_lines) return;
    if (const auto [line, is_new] = logged_.insert(line_of(parts...)); is_new) sink_(level, *line);
  }

  /// Makes `once` log each line again.
  void begin_outage() noexcept { logged_.clear(); }

 private:
  // An outage has a few lines for each server. The bound is for lines that differ each time.
  static constexpr std::size_t most_lines = 64;

  template <class... Parts>
  static std::string line_of(const Parts&... parts) {
    std::string line;
    (line.append(std::string_view(parts)), ...);
    return line;
  }

  log_function sink_;
  std::set<std::string, std::less<>> logged_;
};

} // namespace zklock::zookeeper
