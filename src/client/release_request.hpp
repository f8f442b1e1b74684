#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zklock::detail {

/// A release request: the data that a client writes into the node of a participant.
struct release_request {
  /// The identity of the client that requests the release, and the earlier data of the node; empty
  /// if unknown.
  std::string requester{};
  std::string identity{};
};

/// Curator's Revoker writes the first line only, and Curator's locks know no other form.
inline constexpr std::string_view release_request_line = "__REVOKE__";

/// Shortens the text of another client to `longest_identity` bytes, between two characters of
/// UTF-8.
std::string_view shortened(std::string_view text) noexcept;

/// Parses the data of a node; no value without a release request. Texts are shortened.
std::optional<release_request> parse_release_request(std::string_view data);

/// Makes the data of a release request for a node that zklock created.
std::string compose_release_request(std::string_view requester, std::string_view identity);

} // namespace zklock::detail
