#pragma once

#include "service.hpp"

#include <cstdint>
#include <deque>
#include <sstream>
#include <stdexcept>
#include <string>

namespace deterministic {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// A duration as seconds with milliseconds.
std::string seconds(std::chrono::nanoseconds time);

/// A rule is broken.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Tells the events of a history, line by line with their simulated time. It keeps the last lines,
/// and a hash of all of them: equal hashes of two runs mean that a seed replays exactly.
class trace {
 public:
  /// With `printed`, each line goes to standard output at once.
  explicit trace(bool printed) noexcept : printed_(printed) {}

  void use_clock(const event_loop& clock) noexcept { clock_ = &clock; }

  template <class... Parts>
  void operator()(const Parts&... parts) {
    add(text(parts...));
  }

  /// Prints a line that is no part of the history: its content follows from the rest.
  void aside(const std::string& line) const;
  bool is_printed() const noexcept { return printed_; }

  std::uint64_t hash() const noexcept { return hash_; }
  std::uint64_t lines() const noexcept { return lines_; }
  const std::deque<std::string>& last() const noexcept { return last_; }

 private:
  void add(const std::string& line);

  const event_loop* clock_ = nullptr;
  bool printed_;
  std::uint64_t hash_ = 0xcbf29ce484222325;
  std::uint64_t lines_ = 0;
  std::deque<std::string> last_;
};

} // namespace deterministic
