#include "queue/downgrades.hpp"

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;
using outcome = replacement::outcome;

// Without a connection, the list of the recovery leads to another `send`.
void downgrades::send(event_context& context, entry& e) {
  e.replaced.begin_reader();
  if (!line_.channel().can_send()) return e.replaced.interrupt();
  context.actions.push_back({.what = kind::downgrade,
                             .wants = e.wants,
                             .entry = e.id,
                             .number = e.number,
                             .identity = e.identity});
}

bool downgrades::end(event_context& context, entry& e, answer result) {
  const auto now = e.replaced.answered(result, true);
  if (now == outcome::replaced)
    life_.become_reader(e);
  else
    e.replaced.reset();
  if (!e.is_leaving()) {
    if (now == outcome::lost) return true;
    context.actions.push_back(
        {.what = kind::downgraded, .why = to_reason(result), .wants = e.wants, .entry = e.id});
    life_.watch_data_of(context, e);
  } else if (now == outcome::lost) {
    const auto number = e.number;
    life_.forget(context, e);
    life_.lose_pin(context, number);
  } else {
    // The entry was released meanwhile: from now on the name of its node is known.
    life_.remove(context, e);
  }
  return false;
}

// If a node is inspected twice, the first answer settles the downgrade.
void downgrades::inspect(event_context& context) {
  for (auto& [id, e] : life_.entries().all()) {
    if (!e.is_downgrading() || e.replaced.is() == replacement::state::in_flight) continue;
    e.replaced.inspect();
    context.actions.push_back(
        {.what = kind::inspect, .wants = role::shared, .entry = e.id, .number = e.number});
  }
}

bool downgrades::inspected(event_context& context, entry& e, answer result) {
  if (result != answer::ok && e.is == state::held) {
    send(context, e);
    return false;
  }
  return end(context, e, result == answer::ok ? result : answer::failed);
}

} // namespace zklock::queue
