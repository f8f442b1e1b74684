#pragma once

#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace zklock::test {

/// What has come by since the last time: "create2=1 remove=1", and "others=1" for what is not
/// expected anywhere. Watch events and pings are not requests.
inline std::string asked(testing::relay& door) {
  using testing::operation;
  constexpr std::array<std::pair<operation, const char*>, 7> kinds{{
      {operation::create_container, "directory"},
      {operation::create2, "create"},
      {operation::get_children2, "list"},
      {operation::get_data, "get"},
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

/// A client behind a door that counts, so seldom checked that the checks do not count.
struct counted_client {
  explicit counted_client(background& context) : zk(context.io, options_for(door.address(), 60s)) {
    wait_until([&] { return zk.connected(); });
    door.reset_counts();
  }

  testing::relay door{shared_server().direct_address()};
  client zk;
};

} // namespace zklock::test
