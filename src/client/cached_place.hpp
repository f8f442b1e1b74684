#pragma once

#include "client/keep_times.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <cstddef>
#include <cstdint>

namespace zklock::detail {

class lock_in_use;

/// The place of a lock among the cached locks of its client: in the ring, and in the order of time.
/// Used by `cached_locks` only.
class cached_place {
 public:
  /// `entry_bytes`: the bytes that an entry takes of `client_options::owned_bytes`.
  cached_place(lock_in_use& of, std::size_t entry_bytes) noexcept
      : of_(of), entry_bytes_(entry_bytes) {}
  cached_place(const cached_place&) = delete;
  cached_place& operator=(const cached_place&) = delete;

 private:
  friend class cached_locks;

  using auto_unlink = boost::intrusive::link_mode<boost::intrusive::auto_unlink>;

  lock_in_use& of_;
  const std::size_t entry_bytes_;
  boost::intrusive::list_member_hook<auto_unlink> ring_hook_;
  // The last use, and the number of conflicts, that were seen.
  keep_times::clock::time_point seen_use_{};
  std::uint32_t seen_conflicts_ = 0;
  boost::intrusive::set_member_hook<auto_unlink> look_hook_;
  keep_times::clock::time_point look_at_{};
  // How many of its entries are counted.
  std::size_t counted_ = 0;
};

} // namespace zklock::detail
