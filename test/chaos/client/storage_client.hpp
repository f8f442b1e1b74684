#pragma once

#include "chaos/client/scene.hpp"

#include <string>

namespace chaos {

/// Reads a set of the storage. A token that is lower than the highest token seen is refused:
/// `reply` is then `refused`, otherwise `ok` and the elements.
asio::awaitable<void> read_set(scene& here, const std::string& set, zklock::fencing_token token,
                               std::string& reply);

/// Replaces a set of the storage. `reply` is `ok` or `refused`.
asio::awaitable<void> write_set(scene& here, const std::string& set, zklock::fencing_token token,
                                const std::string& elements, std::string& reply);

/// The token that is never refused.
inline constexpr zklock::fencing_token no_fence{-1, 0};

} // namespace chaos
