#pragma once

#include "support/text_character.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::detail {

/// Composes a line of a log: a sentence, and fields as logfmt has them: `path=/a reason="not
/// here"`. A value that could be taken for the end of the field or of the line is quoted and
/// escaped, so that no value forges a field or a line.
class log_line {
 public:
  explicit log_line(std::string_view sentence) : text_(sentence) {}

  log_line& field(std::string_view key, std::string_view value) {
    text_.append(1, ' ').append(key).append(1, '=');
    if (is_plain(value))
      text_.append(value);
    else
      append_quoted(value);
    return *this;
  }

  /// The id of a session, as ZooKeeper's servers write it.
  log_line& session(std::int64_t id) {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   static_cast<std::uint64_t>(id), 16);
    return field("session", "0x" + std::string(digits.data(), end.ptr));
  }

  std::string take() noexcept { return std::move(text_); }

 private:
  static bool is_plain(std::string_view value) noexcept {
    if (value.empty()) return false;
    for (const char c : value)
      if (c <= ' ' || c == '=' || c == '"' || c == '\\' || c >= 0x7f) return false;
    return true;
  }

  void append_quoted(std::string_view value) {
    text_ += '"';
    while (!value.empty()) {
      const auto each = take_character(value);
      if (each.point == '\n')
        text_ += "\\n";
      else if (!each.is_harmless())
        append_codes(text_, each.bytes);
      else if (each.point == '"' || each.point == '\\')
        text_.append(1, '\\').append(each.bytes);
      else
        text_ += each.bytes;
    }
    text_ += '"';
  }

  std::string text_;
};

} // namespace zklock::detail
