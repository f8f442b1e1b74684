#pragma once

#include "testing/memory/replies.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace zklock::testing::memory {

/// Milliseconds of a clock that never goes back. The table only compares and rounds them.
using milliseconds = std::int64_t;

struct session_limits {
  /// Sessions expire on multiples of it.
  milliseconds tick = 500;
  milliseconds min_timeout = 1000;
  milliseconds max_timeout = 60'000;
};

/// The open sessions of a server, and when they expire. A session that expires stays in the table,
/// as closing, until the server has closed it.
class session_table {
 public:
  /// The part of a server through which a session is used: a connection or another server.
  using owner = std::uint64_t;

  session_table(const session_limits& limits, std::int64_t first_id)
      : limits_(limits), next_id_(first_id) {}

  /// Returns the timeout that is granted to a client that asks for `timeout`.
  std::int32_t negotiate(std::int32_t timeout) const;

  /// Returns the id of a new session.
  std::int64_t make_id() { return next_id_++; }

  void begin(std::int64_t id, std::int32_t timeout, milliseconds now);

  /// Puts the expiry off. Returns false if the session is unknown or closing.
  bool touch(std::int64_t id, std::int32_t timeout, milliseconds now);

  /// Lets an owner take the session over.
  void move(std::int64_t id, owner to);

  /// Checks that an owner may use the session: `session_expired` or `session_moved` if not.
  code check(std::int64_t id, owner by) const;

  void set_closing(std::int64_t id);
  void end(std::int64_t id);

  /// Returns the sessions that have expired, which are closing from now on.
  std::vector<std::int64_t> expire(milliseconds now);

  /// Returns the time at which the next session can expire.
  std::optional<milliseconds> next_expiry() const;

 private:
  struct session {
    milliseconds expiry = 0;
    bool closing = false;
    owner by = 0;
  };

  /// Sessions expire together, on a multiple of the tick.
  milliseconds rounded(milliseconds time) const { return (time / limits_.tick + 1) * limits_.tick; }

  void unschedule(std::int64_t id, milliseconds expiry);

  session_limits limits_;
  std::int64_t next_id_;
  std::map<std::int64_t, session> sessions_;
  std::map<milliseconds, std::set<std::int64_t>> by_expiry_;
};

} // namespace zklock::testing::memory
