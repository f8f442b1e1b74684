#pragma once

#include <boost/intrusive/list_hook.hpp>

#include <chrono>

namespace zklock::detail {

class lock_in_use;

/// The place of a lock among the unused locks of its client. Used by `idle_locks` only.
class idle_place {
 public:
  explicit idle_place(lock_in_use& of) noexcept : of_(of) {}
  idle_place(const idle_place&) = delete;
  idle_place& operator=(const idle_place&) = delete;

 private:
  friend class idle_locks;

  lock_in_use& of_;
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook_;
  std::chrono::steady_clock::time_point since_{};
};

} // namespace zklock::detail
