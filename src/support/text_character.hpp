#pragma once

#include <boost/locale/utf.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace zklock::detail {

/// A character of a text of unknown origin: a code point and its bytes. A byte that begins no
/// character of UTF-8 stands alone, with the code point `boost::locale::utf::illegal`.
struct text_character {
  boost::locale::utf::code_point point = boost::locale::utf::illegal;
  std::string_view bytes{};

  bool is_valid() const noexcept { return point != boost::locale::utf::illegal; }

  /// Whether the character only shows itself. A harmful character acts on a terminal, ends a line,
  /// or changes the order in which the text around it is shown.
  bool is_harmless() const noexcept {
    return is_valid() && !is_control() && !separates_lines() && !changes_direction();
  }

 private:
  bool is_control() const noexcept { return point < 0x20 || (point >= 0x7f && point < 0xa0); }

  bool separates_lines() const noexcept { return point == 0x2028 || point == 0x2029; }

  bool changes_direction() const noexcept {
    return point == 0x061c || point == 0x200e || point == 0x200f ||
           (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
  }
};

/// Takes the first character off a text, which must not be empty.
inline text_character take_character(std::string_view& text) noexcept {
  namespace utf = boost::locale::utf;
  const auto* next = text.data();
  const auto point = utf::utf_traits<char>::decode(next, text.data() + text.size());
  const bool valid = utf::is_valid_codepoint(point);
  const auto length = valid ? static_cast<std::size_t>(next - text.data()) : 1;
  const text_character taken{valid ? point : utf::illegal, text.substr(0, length)};
  text.remove_prefix(length);
  return taken;
}

/// Appends each byte as `\x1b`.
inline void append_codes(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char each : bytes) {
    const auto code = static_cast<unsigned char>(each);
    out.append("\\x").append(1, digits[code >> 4]).append(1, digits[code & 15]);
  }
}

/// Returns the text as a line that acts on no terminal: `\xNN` replaces the bytes of characters
/// that are not harmless.
inline std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto each = take_character(text);
    if (each.is_harmless())
      result += each.bytes;
    else
      append_codes(result, each.bytes);
  }
  return result;
}

/// Returns the beginning of a text of unknown origin for an error message: printable ASCII, and
/// `\xNN` for every other byte.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t shown = 80;
  std::string result;
  for (const char& each : text.substr(0, shown)) {
    if (each >= ' ' && each < 0x7f)
      result += each;
    else
      append_codes(result, {&each, 1});
  }
  return text.size() > shown ? result + "..." : result;
}

} // namespace zklock::detail
