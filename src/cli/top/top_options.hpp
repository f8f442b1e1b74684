#pragma once

#include "cli/duration.hpp"
#include "cli/top/lock_row.hpp"

#include <chrono>
#include <string>

namespace zklock::cli {

/// The options of `zklock top`.
struct top_options {
  std::string root = "/";
  duration interval{std::chrono::seconds(1)};
  duration stuck_after{std::chrono::minutes(1)};
  sort_key sort = sort_key::waiters;
};

} // namespace zklock::cli
