#pragma once

#include <zklock/participant.hpp>

#include "client/release_request.hpp"
#include "zookeeper/request.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace zklock::detail {

/// Converts the time of a node's creation. A time that the clock's type cannot hold becomes the
/// nearest time that it can hold.
inline std::chrono::system_clock::time_point created_at(std::int64_t milliseconds) noexcept {
  using std::chrono::system_clock;
  constexpr auto longest =
      std::chrono::floor<std::chrono::milliseconds>(system_clock::duration::max()).count();
  return system_clock::time_point(
      std::chrono::milliseconds(std::clamp<std::int64_t>(milliseconds, 0, longest)));
}

/// Sets the members of a participant that its znode has.
inline void describe(participant& described, const zookeeper::reply& node) {
  auto request = parse_release_request(node.data);
  described.release_requested = request.has_value();
  described.identity = request ? std::move(request->identity) : std::string(shortened(node.data));
  described.queued_since = created_at(node.created);
  described.token = fencing_token(node.czxid, 0);
  described.session_id = node.ephemeral_owner;
}

} // namespace zklock::detail
