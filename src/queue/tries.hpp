#pragma once

#include "queue/action.hpp"
#include "queue/demands.hpp"
#include "queue/line.hpp"
#include "queue/lock_requests.hpp"
#include "queue/own_entries.hpp"
#include "queue/permits.hpp"

#include <cstdint>

namespace zklock::queue {

/// The acquisitions that try: each is refused, or gets an entry of its own once a list shows that
/// the lock is free.
class tries {
 public:
  /// All arguments must outlive the object.
  tries(lock_policy policy, line& line, demands& demands, const permits& permits,
        own_entries& entries, lock_requests& requests)
      : policy_(policy),
        line_(line),
        demands_(demands),
        permits_(permits),
        entries_(entries),
        requests_(requests) {}

  /// Refuses new tries if this client has the lock, and asks for a list for all other tries.
  void start(event_context& context);

  // A list was answered.

  void answer_by_line(event_context& context);
  void answer_by_permits(event_context& context);
  /// The entries of tries have waited for this list.
  void lose_patience() noexcept;

  /// Has the servers check the entries of tries that wait for more lists, and asks for a list.
  void be_patient(event_context& context);

 private:
  void create(event_context& context, const demand& one, std::uint8_t patience);
  void refuse(event_context& context, demand_id id);

  const lock_policy policy_;
  line& line_;
  demands& demands_;
  const permits& permits_;
  own_entries& entries_;
  lock_requests& requests_;
};

} // namespace zklock::queue
