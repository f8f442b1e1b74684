#pragma once

#include "support/text_character.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::test {

/// Node data that acts on a terminal, forges lines and fields of a log, is no text or is long.
inline std::vector<std::string> hostile_identities() {
  using namespace std::string_literals;
  return {
      "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
      "till 1\nlost a lock path=/etc/passwd",
      "till 1\r\n\ttill 2",
      "a=\"b\" path=/etc c=\\",
      "\0 and more"s,
      // CSI and NEL as characters, and CSI as a byte that is no UTF-8.
      "\xc2\x9b"
      "2J\xc2\x85",
      "\x9b"
      "2J",
      "\xff\xfe\xc0\xaf\xed\xa0\x80\xf8",
      // Right to left, and a line separator.
      "\xe2\x80\xae"
      "dlrow olleh\xe2\x80\xa8\xe2\x81\xa6",
      "__REVOKE",
      std::string(900'000, 'x'),
      std::string(900'000, '\x1b'),
  };
}

/// Whether a text has only visible characters, and the characters `allowed`.
inline bool is_harmless(std::string_view text, std::string_view allowed) {
  while (!text.empty()) {
    const auto each = detail::take_character(text);
    if (!each.is_harmless() && allowed.find(each.bytes) == allowed.npos) return false;
  }
  return true;
}

} // namespace zklock::test
