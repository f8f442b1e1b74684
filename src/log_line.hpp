#pragma once

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
  static bool is_control(char c) noexcept {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code == 0x7f;
  }

  // Not plain are also the control characters and the line separators beyond ASCII.
  static bool is_plain(std::string_view value) noexcept {
    if (value.empty()) return false;
    for (const char c : value)
      if (c == ' ' || c == '=' || c == '"' || c == '\\' || is_control(c) ||
          static_cast<unsigned char>(c) >= 0x80)
        return false;
    return true;
  }

  // The bytes of the control character or line separator in UTF-8 at the front; 0 for others.
  static std::size_t control_size(std::string_view rest) noexcept {
    if (is_control(rest.front())) return 1;
    if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) return 3;
    const bool is_c1 =
        rest.size() > 1 && rest[0] == '\xc2' && static_cast<unsigned char>(rest[1]) < 0xa0;
    return is_c1 ? 2 : 0;
  }

  void append_quoted(std::string_view value) {
    text_ += '"';
    while (!value.empty()) {
      const char c = value.front();
      const auto codes = control_size(value);
      if (c == '\n')
        text_ += "\\n";
      else if (codes != 0)
        append_codes(value.substr(0, codes));
      else if (c == '"' || c == '\\')
        text_.append(1, '\\').append(1, c);
      else
        text_ += c;
      value.remove_prefix(codes == 0 ? 1 : codes);
    }
    text_ += '"';
  }

  void append_codes(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const char each : bytes) {
      const auto code = static_cast<unsigned char>(each);
      text_.append("\\x").append(1, digits[code >> 4]).append(1, digits[code & 15]);
    }
  }

  std::string text_;
};

} // namespace zklock::detail
