#pragma once

#include <zklock/any_lock.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace zklock::detail {

class client_impl;

/// The locks of a `multi_lock`, as they were given, and the order in which they are acquired.
struct lock_list {
  std::vector<any_lock> locks;
  std::vector<std::size_t> order;
};

/// Throws `system_error(errc::bad_lock_list)` for an empty list, and for a lock that is in it
/// twice.
lock_list make_lock_list(std::vector<any_lock> locks);

/// Locks of one client that never fit into its `client_options::owned_bytes`.
struct shortage {
  client_impl* client;
  /// In bytes of node paths.
  std::size_t needed;
};

/// Returns nothing where all locks fit, or where one of them asks for a number of permits that is
/// refused by itself.
std::optional<shortage> find_shortage(const lock_list& list);

} // namespace zklock::detail
