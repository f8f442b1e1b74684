#pragma once

#include <zklock/log.hpp>

#include "support/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace zklock::detail {

/// Appends a number, which must not be negative, with at least so many digits.
inline void append_digits(std::string& out, std::size_t digits, std::int64_t number) {
  std::array<char, 20> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  const auto size = static_cast<std::size_t>(end.ptr - text.data());
  out.append(digits - std::min(digits, size), '0').append(text.data(), size);
}

/// Returns a time as ISO 8601 has it, in UTC: `2026-02-03T04:05:06.789Z`.
inline std::string utc_text(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(time - day));
  std::string text;
  append_digits(text, 4, static_cast<int>(date.year()));
  append_digits(text += '-', 2, static_cast<unsigned>(date.month()));
  append_digits(text += '-', 2, static_cast<unsigned>(date.day()));
  append_digits(text += 'T', 2, clock.hours().count());
  append_digits(text += ':', 2, clock.minutes().count());
  append_digits(text += ':', 2, clock.seconds().count());
  append_digits(text += '.', 3, clock.subseconds().count());
  return text += 'Z';
}

/// Writes a warning or an error to standard error in a single write, with the time and the identity
/// of the client:
///
///     2026-02-03T04:05:06.789Z zklock: warning: the session has expired session=0x1
///     client=host:412
inline void log_to_standard_error(log_level level, std::string_view line,
                                  std::string_view identity) {
  if (level == log_level::info) return;
  auto text = utc_text(std::chrono::system_clock::now());
  text += level == log_level::error ? " zklock: error: " : " zklock: warning: ";
  text += log_line(line).field("client", identity).take();
  text += '\n';
  std::fputs(text.c_str(), stderr);
}

} // namespace zklock::detail
