#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zklock::detail {

/// What a node says whose owner was asked to let go.
struct release_request {
  /// Who asked, and what the node said before; empty where that is not known.
  std::string who{};
  std::string identity{};
};

/// Curator's Revoker writes the first line only, and Curator's locks know no other form.
inline constexpr std::string_view release_request_line = "__REVOKE__";

/// What the data of a node asks for; nothing where it is no request.
std::optional<release_request> parse_release_request(std::string_view data);

/// The data that asks a node that zklock made.
std::string compose_release_request(std::string_view who, std::string_view identity);

} // namespace zklock::detail
