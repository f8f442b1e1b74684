#include "cli/json_text.hpp"

#include "support/text_character.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <cstdio>
#include <string_view>

namespace zklock::cli {

std::string json_text(const boost::json::value& value) {
  const auto all = boost::json::serialize(value);
  std::string result;
  for (std::string_view rest = all; !rest.empty();) {
    const auto each = detail::take_character(rest);
    if (each.is_harmless()) {
      result += each.bytes;
      continue;
    }
    std::array<char, 8> code;
    std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(each.point) & 0xffffu);
    result += code.data();
  }
  return result;
}

} // namespace zklock::cli
