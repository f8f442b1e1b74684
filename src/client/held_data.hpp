#pragma once

#include "client/release_request.hpp"
#include "queue/entry.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::detail {

class identity_write;

/// The data of a hold's node, as this client writes it. Used on the client's strand only.
///
/// Invariant: if the newest write is carried out, the data has the version `version`, and `kept`
/// describes the release request in the data. `kept_before` describes the request in the data
/// before the newest write, which may be in flight.
struct held_data {
  /// A release request that this client has written again, together with another identity.
  struct kept_request {
    std::string requester;
    /// The version of the data when another client wrote the request, and with the newest write.
    std::int32_t version;
    std::int32_t written;
    std::string data;
  };

  /// The wanted identity; null for the client's.
  queue::identity_pointer identity{};
  std::int32_t version = 0;
  std::optional<kept_request> kept{};
  std::optional<kept_request> kept_before{};
  /// The write under way.
  std::weak_ptr<identity_write> writer{};

  /// Returns the version in which another client wrote the release request that a node's data has.
  std::int32_t version_of_request(std::int32_t seen, std::string_view data) const noexcept {
    for (const auto* each : {&kept, &kept_before})
      if (*each && seen == (*each)->written && data == (*each)->data) return (*each)->version;
    return seen;
  }
};

} // namespace zklock::detail
