#pragma once

#include "client/grant.hpp"
#include "queue/action.hpp"

namespace zklock::detail {

/// Receives the notifications of a lock's driver.
class lock_listener {
 public:
  /// An event is about to reach the queue.
  virtual void on_event() {}
  /// The first acquisition of a demand holds.
  virtual void on_granted(queue::demand_id to, const grant& by) = 0;
  /// An acquisition of a demand will not be granted.
  virtual void on_refused(queue::demand_id which, queue::reason why) = 0;
  /// The hold is shared from now on; if `why` is not `none`, it is still exclusive.
  virtual void on_downgraded(queue::entry_id held, queue::reason why) = 0;
  /// The hold has ended before it was released.
  virtual void on_lost(queue::entry_id held, queue::reason why) = 0;
  /// The released nodes are deleted, or handed over. If `why` is not `none`, they stay until the
  /// session ends.
  virtual void on_released(queue::entry_id held, queue::reason why) = 0;
  /// An event has been processed, with all actions that followed.
  virtual void on_settled() = 0;

 protected:
  ~lock_listener() = default;
};

} // namespace zklock::detail
