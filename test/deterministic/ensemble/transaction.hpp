#pragma once

#include "deterministic/service.hpp"
#include "testing/memory/replies.hpp"
#include "testing/memory/requests.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace deterministic::servers {

namespace memory = zklock::testing::memory;

/// epoch << 32 | counter
using zxid = std::int64_t;
using session_id = std::int64_t;

inline zxid first_of(std::int64_t epoch) {
  return epoch << 32;
}

inline std::int64_t epoch_of(zxid id) {
  return id >> 32;
}

/// A write on its way to the leader.
struct write {
  /// The replica that waits for the commit, and its number for the request. The leader's own
  /// requests have the number 0.
  int origin = 0;
  std::uint64_t number = 0;
  memory::session_info session{};
  memory::write_request request{};
  /// Not `ok`: a transaction of which this part fails so, and which does nothing.
  memory::code failure = memory::code::ok;
  std::size_t failed_part = 0;
};

/// A proposal of the leader: a write and its place in the order.
struct transaction {
  zxid id = 0;
  write what{};
  /// Milliseconds since 1970, by the leader's clock.
  std::int64_t time = 0;
  /// The leader has refused the write because of its session.
  memory::code refused = memory::code::ok;
  /// When and by which replica it was proposed, for the referee.
  time_point proposed{};
  int leader = 0;
  /// The leader ends the session because it has not heard of it for too long.
  bool expires_session = false;
};

using entry = std::shared_ptr<const transaction>;

} // namespace deterministic::servers
