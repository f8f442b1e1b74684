#include "cli/text.hpp"

#include "support/text_character.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace zklock::cli {

namespace {

std::string two(std::chrono::nanoseconds::rep larger, const char* unit,
                std::chrono::nanoseconds::rep smaller, const char* smaller_unit) {
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), "%lld%s%02lld%s", static_cast<long long>(larger), unit,
                static_cast<long long>(smaller), smaller_unit);
  return text.data();
}

} // namespace

std::string well_formed(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto each = detail::take_character(text);
    result += each.is_valid() ? each.bytes : std::string_view("\xef\xbf\xbd");
  }
  return result;
}

std::string printable(std::string_view text) {
  return detail::printable(text);
}

std::size_t width_of(std::string_view text) noexcept {
  // Bytes that continue a character begin with the bits 10.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string age_text(std::chrono::nanoseconds age) {
  using namespace std::chrono;
  age = std::max(age, nanoseconds::zero());
  const auto whole = duration_cast<seconds>(age).count();
  constexpr seconds::rep minute = 60;
  constexpr seconds::rep hour = 60 * minute;
  constexpr seconds::rep day = 24 * hour;
  if (whole >= day) return two(whole / day, "d", whole % day / hour, "h");
  if (whole >= hour) return two(whole / hour, "h", whole % hour / minute, "m");
  if (whole >= minute) return two(whole / minute, "m", whole % minute, "s");
  if (whole >= 10) return std::to_string(whole) + "s";
  const auto tenths = duration_cast<milliseconds>(age).count() / 100;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + 's';
}

std::string decimal_text(double number, int digits) {
  // Of the largest number with its digits.
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

std::string milliseconds_text(std::chrono::nanoseconds time) {
  return decimal_text(std::chrono::duration<double, std::milli>(time).count(), 1) + " ms";
}

std::string session_text(std::int64_t session) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "0x%llx",
                static_cast<unsigned long long>(static_cast<std::uint64_t>(session)));
  return text.data();
}

} // namespace zklock::cli
