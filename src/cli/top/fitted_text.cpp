#include "cli/top/fitted_text.hpp"

#include <boost/locale/encoding_utf.hpp>

#include <wchar.h>

#include <algorithm>

namespace zklock::cli {

namespace {

std::wstring wide(std::string_view text) {
  return boost::locale::conv::utf_to_utf<wchar_t>(text.data(), text.data() + text.size());
}

std::string narrow(std::wstring_view text) {
  return boost::locale::conv::utf_to_utf<char>(text.data(), text.data() + text.size());
}

// A character that the locale does not know takes a single column.
std::size_t columns_of(wchar_t character) noexcept {
  const int columns = ::wcwidth(character);
  return columns < 0 ? 1 : static_cast<std::size_t>(columns);
}

std::size_t columns_of(std::wstring_view text) noexcept {
  std::size_t columns = 0;
  for (const wchar_t each : text)
    columns += columns_of(each);
  return columns;
}

std::wstring_view front_of(std::wstring_view text, std::size_t columns) noexcept {
  std::size_t length = 0;
  while (length < text.size() && columns_of(text[length]) <= columns)
    columns -= columns_of(text[length++]);
  return text.substr(0, length);
}

std::wstring_view back_of(std::wstring_view text, std::size_t columns) noexcept {
  std::size_t begin = text.size();
  while (begin > 0 && columns_of(text[begin - 1]) <= columns)
    columns -= columns_of(text[--begin]);
  return text.substr(begin);
}

constexpr std::string_view dots = "...";

} // namespace

std::size_t columns_of(std::string_view text) {
  return columns_of(std::wstring_view(wide(text)));
}

std::string cut_end(std::string_view text, std::size_t columns) {
  const auto whole = wide(text);
  if (columns_of(std::wstring_view(whole)) <= columns) return std::string(text);
  const auto shown = std::min(dots.size(), columns);
  return narrow(front_of(whole, columns - shown)) + std::string(dots.substr(0, shown));
}

std::string cut_middle(std::string_view text, std::size_t columns) {
  const auto whole = wide(text);
  if (columns_of(std::wstring_view(whole)) <= columns) return std::string(text);
  if (columns <= dots.size()) return std::string(dots.substr(0, columns));
  const auto rest = columns - dots.size();
  return narrow(front_of(whole, rest / 2)) + std::string(dots) +
         narrow(back_of(whole, rest - rest / 2));
}

std::string padded(std::string_view text, std::size_t columns, bool in_front) {
  const auto given = columns_of(text);
  const std::string spaces(columns - std::min(given, columns), ' ');
  return in_front ? spaces + std::string(text) : std::string(text) + spaces;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  const auto whole = wide(text);
  std::wstring_view rest = whole;
  std::vector<std::string> lines;
  do {
    auto line = front_of(rest, columns);
    // At least a character, however narrow the terminal is.
    if (line.empty()) line = rest.substr(0, 1);
    lines.push_back(narrow(line));
    rest.remove_prefix(line.size());
  } while (!rest.empty());
  return lines;
}

} // namespace zklock::cli
