#include "cli/run/environment.hpp"

#include "cli/nested_identity.hpp"
#include "cli/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace zklock::cli {

namespace {

constexpr auto sessions_name = "ZKLOCK_SESSIONS";

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

} // namespace

variables describe(const hold& held, const std::string& path, std::int64_t session) {
  return {{"ZKLOCK_PATH", path},
          {"ZKLOCK_NODE", held.node()},
          {"ZKLOCK_TOKEN", std::to_string(held.token().transaction())},
          {"ZKLOCK_SESSION", session_text(session)}};
}

std::vector<std::string> environment_with(const variables& added, std::int64_t session) {
  auto all = added;
  const auto outer = value_of(sessions_name);
  all.emplace_back(sessions_name, (outer.empty() ? "" : outer + " ") + session_text(session));
  std::vector<std::string> result;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const auto name = text.substr(0, text.find('='));
    if (std::ranges::none_of(all, [name](const auto& one) { return one.first == name; }))
      result.emplace_back(text);
  }
  for (const auto& [name, value] : all)
    result.push_back(name + "=" + value);
  return result;
}

std::vector<std::int64_t> outer_sessions() {
  return parse_sessions(value_of(sessions_name));
}

} // namespace zklock::cli
