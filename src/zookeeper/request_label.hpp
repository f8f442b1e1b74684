#pragma once

#include <cstddef>

namespace zklock::zookeeper {

/// A request as the log names it.
struct request_label {
  /// A string literal: the request is a request "to `name`". Null without a request.
  const char* name = nullptr;
  /// The size of a transaction.
  std::size_t bytes = 0;
};

/// The label of `list_own`. If servers may not know `list_own`, the next connection of the session
/// does without the request.
inline constexpr const char* list_own_label = "list the session's nodes";

} // namespace zklock::zookeeper
