#pragma once

#include <zklock/any_lock.hpp>

namespace zklock {

/// A lock with one holder at a time, over all processes that lock the same path of the same
/// ensemble.
///
/// It is fair: waiters get it first come, first served (FIFO), in the order of their znodes.
/// `client_options::local_handoffs` relaxes that within bounds.
///
/// It is not reentrant unless an owner is given with `acquire_options::by`. A coroutine that
/// acquires a mutex which it holds already waits for itself until its timeout.
///
/// On the wire it is the lock of Curator's InterProcessMutex, and shares paths with it.
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT mutex : public any_lock {
 public:
  /// Names the lock. `path` is the znode under which each waiter and holder has its entry. The
  /// client creates it when the first acquire needs it. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and what is wrong with it: it is empty or relative, ends with a slash, is longer than
  /// 2,000 bytes, has an empty name, `.` or `..` in it, or a character that ZooKeeper does not
  /// accept.
  ///
  /// Thread safety: distinct objects: safe.
  mutex(const client& client, std::string_view path);
};

} // namespace zklock
