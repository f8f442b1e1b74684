#include "queue/entry_counts.hpp"

#include <algorithm>
#include <cstdint>

namespace zklock::queue {

using state = entry::state;

void entry_counts::count(const entry& e, std::size_t more) noexcept {
  if (e.is == state::cached) cached_[static_cast<std::size_t>(e.wants)] += more;
  if (e.is == state::abandoned) abandoned_ += more;
  if (e.is == state::abandoned || e.is_leaving()) leaving_ += more;
  if (e.is_try()) tries_ += more;
  if (e.is_own()) own_ += more;
  if (e.is_unassigned()) return;
  nodes_ += more * (e.is_own() ? e.asked.permits : std::max(e.permits(), std::uint32_t{1}));
}

} // namespace zklock::queue
