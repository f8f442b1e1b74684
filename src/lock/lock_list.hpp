#pragma once

#include <zklock/any_lock.hpp>

#include <cstddef>
#include <vector>

namespace zklock::detail {

class lock_calls;

/// The locks of a `multi_lock`, as they were given, and the order in which they are acquired.
struct lock_list {
  std::vector<any_lock> locks;
  std::vector<std::size_t> order;
};

/// Throws `system_error(errc::bad_lock_list)` for an empty list, and for a lock that is in it
/// twice.
lock_list make_lock_list(std::vector<any_lock> locks);

/// The clients of the locks, in an order on which all lists of the process agree.
std::vector<lock_calls*> clients_of(const lock_list& list);

} // namespace zklock::detail
