#pragma once

#include <boost/any.hpp>

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace zklock::cli {

/// The value of an option that is a time: a number of seconds, with a fraction if need be, or a
/// number with a unit: `0.5`, `500ms`, `5s`, `2m`, `1h`, `1d`.
struct duration {
  std::chrono::nanoseconds time{0};

  /// Rounds up to whole milliseconds, which the options of a client have.
  std::chrono::milliseconds milliseconds() const noexcept {
    return std::chrono::ceil<std::chrono::milliseconds>(time);
  }
};

/// Reads a time. Throws `std::invalid_argument` for a text that is none.
duration parse_duration(const std::string& text);

/// Returns a time as people read it, in seconds: `1.5 s`.
std::string to_text(std::chrono::nanoseconds time);

/// Writes it in a form that `parse_duration` reads, for the defaults in the help.
std::ostream& operator<<(std::ostream& out, const duration& value);

/// Reads the value of an option, for Program_options.
void validate(boost::any& value, const std::vector<std::string>& texts, duration* type, int);

} // namespace zklock::cli
