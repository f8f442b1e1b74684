#include "cli/text.hpp"

#include <boost/locale/utf.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace zklock::cli {

namespace {

namespace utf = boost::locale::utf;

// Calls a function with each code point and its bytes. A byte that begins none is passed alone,
// with `utf::illegal`.
template <class Function>
void for_each_character(std::string_view text, Function function) {
  while (!text.empty()) {
    const auto* next = text.data();
    const auto point = utf::utf_traits<char>::decode(next, text.data() + text.size());
    const bool valid = utf::is_valid_codepoint(point);
    const auto length = valid ? static_cast<std::size_t>(next - text.data()) : 1;
    function(valid ? point : utf::illegal, text.substr(0, length));
    text.remove_prefix(length);
  }
}

bool is_control(utf::code_point point) noexcept {
  return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

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
  for_each_character(text, [&](utf::code_point point, std::string_view bytes) {
    result += point == utf::illegal ? std::string_view("\xef\xbf\xbd") : bytes;
  });
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  for_each_character(text, [&](utf::code_point point, std::string_view bytes) {
    if (point != utf::illegal && !is_control(point)) {
      result += bytes;
      return;
    }
    for (const char c : bytes) {
      std::array<char, 8> code;
      std::snprintf(code.data(), code.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += code.data();
    }
  });
  return result;
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

std::string milliseconds_text(std::chrono::nanoseconds time) {
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), "%.1f ms",
                std::chrono::duration<double, std::milli>(time).count());
  return text.data();
}

std::string session_text(std::int64_t session) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "0x%llx",
                static_cast<unsigned long long>(static_cast<std::uint64_t>(session)));
  return text.data();
}

} // namespace zklock::cli
