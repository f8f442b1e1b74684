#pragma once

#include "queue/entry_name.hpp"
#include "zookeeper/request.hpp"

#include <cstdint>
#include <string>

namespace zklock::detail {

class lock_driver;
class watch_registry;

/// The session of a lock's driver.
class requester {
 public:
  /// Sends a request, unless there is no connection. Replies come in the order of the requests.
  virtual void send(zookeeper::request what, zookeeper::receiver& to) = 0;
  /// Removes the watch of this kind on a path, whichever requests set it.
  virtual void remove_watch(const std::string& path, zookeeper::watch_kind kind) = 0;

  /// Whether the session is proven for long enough that a body can begin.
  virtual bool proven() noexcept = 0;
  /// Calls `lock_driver::confirmed` once the session is proven; not after a lost connection.
  virtual void when_proven(lock_driver& waiting) = 0;

  /// The id of the session, which owns its entries.
  virtual std::int64_t ephemeral_owner() const noexcept = 0;
  virtual queue::session_token token() const noexcept = 0;
  /// The newest entry of any lock in the session.
  virtual queue::entry_id& last_entry() noexcept = 0;
  virtual watch_registry& watches() noexcept = 0;

  /// The data of the session's entries that have no identity of their own.
  virtual const std::string& identity() const noexcept = 0;
  /// Whether directories are created as containers, and not as persistent nodes.
  virtual bool containers() const noexcept = 0;
  virtual void log_error(const std::string& line) = 0;

 protected:
  ~requester() = default;
};

} // namespace zklock::detail
