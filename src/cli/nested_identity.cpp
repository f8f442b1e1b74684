#include "cli/nested_identity.hpp"

#include "cli/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace zklock::cli {

namespace {

constexpr std::string_view mark = " nested in";

// Of client_options::identity, in bytes.
constexpr std::size_t longest_identity = 4096;

} // namespace

std::vector<std::int64_t> parse_sessions(std::string_view text) {
  std::vector<std::int64_t> result;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (!text.starts_with("0x")) return result;
    text.remove_prefix(2);
    std::uint64_t session = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), session, 16);
    if (parsed.ec != std::errc()) return result;
    result.push_back(static_cast<std::int64_t>(session));
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  }
}

std::string nested_identity(std::string identity, const std::vector<std::int64_t>& outer) {
  std::string sessions;
  for (auto each = outer.rbegin(); each != outer.rend(); ++each) {
    auto with_this = " " + session_text(*each) + sessions;
    if (identity.size() + mark.size() + with_this.size() > longest_identity) break;
    sessions = std::move(with_this);
  }
  if (!sessions.empty()) identity.append(mark).append(sessions);
  return identity;
}

std::vector<std::int64_t> outer_sessions_of(std::string_view identity) {
  const auto found = identity.rfind(mark);
  if (found == identity.npos) return {};
  return parse_sessions(identity.substr(found + mark.size()));
}

} // namespace zklock::cli
