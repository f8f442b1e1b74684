#pragma once

#include <zklock/log.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace zklock::zookeeper {

/// Puts lines together for a log function, which may be empty.
class logger {
 public:
  explicit logger(log_function sink) : sink_(std::move(sink)) {}

  template <class... Parts>
  void operator()(log_level level, const Parts&... parts) const {
    if (!sink_) return;
    std::string line;
    (line.append(std::string_view(parts)), ...);
    sink_(level, line);
  }

 private:
  log_function sink_;
};

} // namespace zklock::zookeeper
