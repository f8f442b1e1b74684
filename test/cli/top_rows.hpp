#pragma once

#include "cli/top/lock_row.hpp"

#include <chrono>
#include <string>

namespace zklock::test {

/// Returns a row of a mutex with a holder and so many waiters.
inline cli::lock_row row_of(const std::string& path, std::size_t waiters, double rate = 0) {
  const participant one{.node = path + "/x-lock-1",
                        .number = 1,
                        .is_holder = true,
                        .identity = "till 1",
                        .token = fencing_token(2, 0),
                        .session_id = 2};
  return {.lock = {.path = path, .type = lock_type::mutex, .participants = {one}},
          .holders = 1,
          .waiters = waiters,
          .handovers = rate,
          .longest_wait = std::chrono::seconds(waiters % 3),
          .holder = 0};
}

} // namespace zklock::test
