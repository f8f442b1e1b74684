#pragma once

#include <zklock/clock.hpp>

#include <cstdint>
#include <filesystem>
#include <sstream>

namespace chaos {

/// Writes the events of a client process; `read_history` reads them.
class event_log {
 public:
  explicit event_log(const std::filesystem::path& file);
  ~event_log();

  event_log(const event_log&) = delete;
  event_log& operator=(const event_log&) = delete;

  /// Writes a line. The time is taken first: the caller's next action happens after it.
  template <class... Values>
  void write(char what, std::uint64_t operation, const Values&... values) {
    std::ostringstream line;
    line << what << ' ' << zklock::boot_clock::now().time_since_epoch().count() << ' ' << operation;
    ((line << ' ' << values), ...);
    line << '\n';
    append(line.str());
  }

 private:
  void append(const std::string& line) const;

  int descriptor_;
};

} // namespace chaos
