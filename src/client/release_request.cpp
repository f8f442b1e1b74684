#include "client/release_request.hpp"

#include "client/identity.hpp"

#include <algorithm>

namespace zklock::detail {

std::string_view shortened(std::string_view text) noexcept {
  if (text.size() <= longest_identity) return text;
  auto size = longest_identity;
  // Bytes that continue a character begin with the bits 10. There are three of them at most.
  while (size > longest_identity - 3 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
    --size;
  return text.substr(0, size);
}

std::optional<release_request> parse_release_request(std::string_view data) {
  if (!data.starts_with(release_request_line)) return std::nullopt;
  data.remove_prefix(release_request_line.size());
  if (data.empty()) return release_request();
  if (data.front() != '\n') return std::nullopt;
  data.remove_prefix(1);
  const auto end = std::min(data.find('\n'), data.size());
  release_request found{.requester = std::string(shortened(data.substr(0, end)))};
  if (end < data.size()) found.identity = shortened(data.substr(end + 1));
  return found;
}

std::string compose_release_request(std::string_view requester, std::string_view identity) {
  std::string data(release_request_line);
  data += '\n';
  const auto begin = data.size();
  data += requester;
  // A line break would end the field.
  std::replace(data.begin() + static_cast<std::ptrdiff_t>(begin), data.end(), '\n', ' ');
  data += '\n';
  data += identity;
  return data;
}

} // namespace zklock::detail
