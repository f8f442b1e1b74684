#include "testing/memory/path_rules.hpp"

#include <cstdint>

namespace zklock::testing::memory {
namespace {

// Java decodes bytes that are no UTF-8 to this character.
constexpr std::uint32_t replacement_character = 0xFFFD;

/// Decodes the first character, and removes it.
std::uint32_t take_character(std::string_view& text) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(text[i]) & 0xFF; };
  const std::uint32_t first = byte(0);
  const std::size_t size = first < 0x80                     ? 1
                           : first >= 0xF0 && first <= 0xF4 ? 4
                           : first >= 0xE0                  ? 3
                           : first >= 0xC2                  ? 2
                                                            : 0;
  if (size == 1) {
    text.remove_prefix(1);
    return first;
  }
  bool complete = size != 0 && first <= 0xF4 && text.size() >= size;
  std::uint32_t value = size == 2 ? first & 0x1F : size == 3 ? first & 0x0F : first & 0x07;
  for (std::size_t i = 1; complete && i != size; ++i) {
    complete = (byte(i) & 0xC0) == 0x80;
    value = value << 6 | (byte(i) & 0x3F);
  }
  text.remove_prefix(complete ? size : 1);
  return complete ? value : replacement_character;
}

bool is_valid_character(std::uint32_t c) {
  // Java sees a character above 0xFFFF as two surrogates.
  return c > 0x1F && !(c >= 0x7F && c <= 0x9F) && !(c >= 0xD800 && c <= 0xF8FF) && c < 0xFFF0;
}

} // namespace

bool is_valid_path(std::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  if (path.size() == 1) return true;
  for (std::string_view left = path; !left.empty();) {
    if (!is_valid_character(take_character(left))) return false;
  }
  for (std::size_t slash = 0; slash != std::string_view::npos;) {
    const std::size_t next = path.find('/', slash + 1);
    const std::string_view name = path.substr(
        slash + 1, next == std::string_view::npos ? std::string_view::npos : next - slash - 1);
    if (name.empty() || name == "." || name == "..") return false;
    slash = next;
  }
  return true;
}

bool is_special_path(std::string_view path) {
  return path == "/" || path == "/zookeeper" || path == "/zookeeper/quota" ||
         path == "/zookeeper/config";
}

bool has_parent(std::string_view path) {
  return path.find('/') != std::string_view::npos && path.find('\0') == std::string_view::npos;
}

std::string_view parent_of(std::string_view path) {
  const std::string_view parent = path.substr(0, path.rfind('/'));
  return parent.empty() ? "/" : parent;
}

} // namespace zklock::testing::memory
