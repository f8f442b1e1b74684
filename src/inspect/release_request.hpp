#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zklock::detail {

/// A release request, as the data of the node that is asked for.
struct release_request {
  /// The identity of the client that asked, and the node's data before; empty where not known.
  std::string requester{};
  std::string identity{};
};

/// Curator's Revoker writes the first line only, and Curator's locks know no other form.
inline constexpr std::string_view release_request_line = "__REVOKE__";

/// Returns the beginning of text that another client wrote, of `longest_identity` bytes at most. A
/// character of UTF-8 that does not fit is left out.
std::string_view shortened(std::string_view text) noexcept;

/// Parses the data of a node; no value where it is no release request. Texts are shortened.
std::optional<release_request> parse_release_request(std::string_view data);

/// Makes the data of a release request for a node that zklock created.
std::string compose_release_request(std::string_view requester, std::string_view identity);

} // namespace zklock::detail
