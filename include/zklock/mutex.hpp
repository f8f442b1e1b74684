#pragma once

#include <zklock/any_lock.hpp>

namespace zklock {

/// A lock with a single holder at a time among all processes that lock its path on its ensemble.
///
/// A mutex is fair: it is granted first come, first served (FIFO), in the order of the waiters'
/// znodes. `client_options::local_handoffs` relaxes the order within bounds.
///
/// A mutex is not reentrant without an owner (`acquire_options::owner`): a coroutine that acquires
/// a mutex which it holds already waits for itself until its timeout.
///
/// A mutex shares paths with Curator's InterProcessMutex.
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT mutex : public any_lock {
 public:
  /// Names the lock. `path` is the znode under which each waiter and holder has its entry. The
  /// client creates it when the first acquire needs it. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and the fault: the path is empty or relative, ends with a slash, is longer than 2,000
  /// bytes, has an empty name, `.` or `..` in it, or a character that ZooKeeper does not accept.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  mutex(const client& client, std::string_view path);
};

} // namespace zklock
