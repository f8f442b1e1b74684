#pragma once

#include <zklock/testing/relay.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace zklock::test {

/// The requests since the last call: "create=1 remove=1", and "others=1" for unexpected kinds.
/// Watch events and pings are not requests.
inline std::string requests_sent(testing::relay& door) {
  using testing::operation;
  constexpr std::array<std::pair<operation, const char*>, 9> kinds{{
      {operation::create_container, "directory"},
      {operation::create2, "create"},
      {operation::get_children2, "list"},
      {operation::get_data, "get"},
      {operation::exists, "exists"},
      {operation::set_data, "set"},
      {operation::remove, "remove"},
      {operation::multi, "multi"},
      {operation::sync, "sync"},
  }};
  std::string text;
  auto others = door.total_requests();
  const auto add = [&](const char* name, std::uint64_t count) {
    if (count == 0) return;
    if (!text.empty()) text += ' ';
    text += name + ('=' + std::to_string(count));
  };
  for (const auto& [kind, name] : kinds) {
    add(name, door.requests(kind));
    others -= door.requests(kind);
  }
  add("others", others);
  door.reset_counts();
  return text;
}

} // namespace zklock::test
