#pragma once

#include "queue/action.hpp"

#include <cstdint>

namespace zklock::detail {

/// By what an acquisition holds.
struct grant {
  queue::entry_id entry = 0;
  queue::role wants = queue::role::exclusive;
  queue::sequence number = 0;
  std::int64_t czxid = 0;
  std::uint32_t turn = 0;
  /// 0: by the entry itself.
  std::uint32_t permits = 0;
};

/// Hears from a lock's driver what becomes of the acquisitions. `on_refused`, `on_lost` and
/// `on_released` are the last of an acquisition.
class lock_listener {
 public:
  virtual void on_granted(queue::acquisition_id id, const grant& by) = 0;
  /// What it holds is no longer exclusive; where `why` is not `none` it still is.
  virtual void on_downgraded(queue::acquisition_id id, queue::reason why) = 0;
  /// It will not hold.
  virtual void on_refused(queue::acquisition_id id, queue::reason why) = 0;
  /// It held, and does not any more.
  virtual void on_lost(queue::acquisition_id id, queue::reason why) = 0;
  /// What it gave back is gone, or in other hands. `why` is not `none` where its nodes stay until
  /// the session ends.
  virtual void on_released(queue::acquisition_id id, queue::reason why) = 0;
  /// An event is done with, and all that followed from it.
  virtual void on_settled() = 0;

 protected:
  ~lock_listener() = default;
};

} // namespace zklock::detail
