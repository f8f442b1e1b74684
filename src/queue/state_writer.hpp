#pragma once

#include "queue/entry_name.hpp"

#include <cstdint>
#include <string_view>

namespace zklock::queue {

/// Is given the whole state of a queue by `describe`, value by value in a fixed order: to compare
/// states, or to show them. Of the numbers that have a function of their own only the order counts,
/// or which others they equal; `value` is for all others. `up_to` stands for all acquisitions up to
/// this one, which may be gone: only which of the others are newer counts.
template <class T>
concept state_writer = requires(T& to) {
  to.acquisition(std::uint64_t{});
  to.up_to(std::uint64_t{});
  to.entry(entry_id{});
  to.number(sequence{});
  to.zxid(std::int64_t{});
  to.order(std::uint64_t{});
  to.name(std::string_view{});
  to.value(0);
  to.value(false);
  to.value(role::shared);
};

} // namespace zklock::queue
