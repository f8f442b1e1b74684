#include "queue/permits.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

bool permits::is_limit_known() const noexcept {
  return limit_ && !is_limit_old_ && !is_asking_limit_;
}

// Even with a limit of 0, an acquisition may wait for a permit.
std::optional<std::uint32_t> permits::most() const noexcept {
  if (!limit_) return std::nullopt;
  return std::max(*limit_, std::uint32_t{1});
}

bool permits::ask_limit() noexcept {
  return !std::exchange(is_asking_limit_, true);
}

bool permits::limit_answered(std::optional<std::uint32_t> value) noexcept {
  is_asking_limit_ = is_limit_old_ = false;
  return !std::exchange(limit_, value);
}

void permits::begin_list(std::uint64_t order) noexcept {
  is_listing_ = is_watched_ = true;
  list_order_ = order;
}

void permits::list_answered(bool is_readable) noexcept {
  is_listing_ = false;
  is_watched_ = is_readable;
}

bool permits::fit(std::uint32_t count) const noexcept {
  return others_ + own_ + count <= *limit_;
}

void permits::disconnected() noexcept {
  is_count_known_ = is_listing_ = is_watched_ = is_asking_limit_ = is_lacking_ = false;
  is_limit_old_ = !is_limit_given_;
}

} // namespace zklock::queue
