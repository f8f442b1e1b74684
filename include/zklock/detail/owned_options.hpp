#pragma once

#include <zklock/acquire_options.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace zklock::detail {

/// The options of an acquire, with copies of the text and the function of the program.
struct owned_options {
  explicit owned_options(const acquire_options& given)
      : timeout(given.timeout),
        hold_limit(given.hold_limit),
        owner(given.owner),
        cache(given.cache),
        identity(given.identity),
        queued(given.queued.copy()) {}

  /// Returns options that refer to the copies.
  acquire_options view() const noexcept {
    acquire_options options{.timeout = timeout,
                            .hold_limit = hold_limit,
                            .owner = owner,
                            .cache = cache,
                            .identity = identity};
    if (queued) options.queued = queued;
    return options;
  }

  time_limit timeout;
  std::chrono::nanoseconds hold_limit;
  std::optional<zklock::owner> owner;
  bool cache;
  std::string identity;
  std::function<void(std::size_t)> queued;
};

} // namespace zklock::detail
