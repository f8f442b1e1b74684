#pragma once

#include <zklock/participant.hpp>

#include "inspect/release_request.hpp"
#include "zookeeper/request.hpp"

#include <chrono>
#include <utility>

namespace zklock::detail {

/// Fills in the members of a participant that are read from its znode.
inline void describe(participant& described, const zookeeper::reply& node) {
  auto request = parse_release_request(node.data);
  described.release_requested = request.has_value();
  described.identity = request ? std::move(request->identity) : std::string(node.data);
  described.queued_since =
      std::chrono::system_clock::time_point(std::chrono::milliseconds(node.created));
  described.token = fencing_token(node.czxid, 0);
  described.session_id = node.ephemeral_owner;
}

} // namespace zklock::detail
