#pragma once

#include <zklock/any_lock.hpp>

namespace zklock {

/// A lock that one holds at a time, over all processes that lock the same path of the same
/// ensemble; those who wait get it in the order in which they came.
///
/// It is not re-entrant unless an owner is named (`acquire_options::by`): a coroutine that acquires
/// a mutex which it holds already waits for itself until its timeout.
///
/// On the wire it is the lock of Curator's InterProcessMutex, and shares paths with it.
///
/// Thread safety: safe, but for destroying and assigning.
class ZKLOCK_EXPORT mutex : public any_lock {
 public:
  /// Names the lock. `path` is the directory in which those who want the lock have their entries;
  /// it is made when the first one comes. Nothing is sent yet.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and its fault, where the path is empty, relative, ends in a slash, is longer than 2,000
  /// bytes, has an empty name, `.` or `..` in it, or a character that ZooKeeper refuses.
  mutex(const client& client, std::string_view path);
};

} // namespace zklock
