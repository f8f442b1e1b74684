// How a writer becomes a reader: in one transaction the node of the one is deleted, and one that
// has the same number is made for the other, so that no other writer comes in between. The scheme
// is that of Curator 5.5 (CURATOR-621), which makes the one and later deletes the other.

#include "queue/lock_queue.hpp"

#include <string>
#include <utility>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;
using outcome = replacement::outcome;

void lock_queue::downgrade(event_context& context, acquisition_id id) {
  entry* const e = waiters_.find_assigned(id);
  if (!e || e->is != state::held || e->wants != role::exclusive) return;
  if (e->permits() != 0 || e->is_downgrading()) return;
  // Its turns go on, so that no token comes twice.
  entries_.end_hand_overs(*e);
  send_downgrade(context, *e);
  entries_.shed(context);
}

void lock_queue::send_downgrade(event_context& context, entry& e) {
  e.replaced.begin_reader();
  // The list of the recovery sees to it.
  if (!line_.can_ask()) return e.replaced.interrupt();
  context.actions.push_back(
      {.what = kind::downgrade, .wants = e.wants, .entry = e.id, .number = e.number});
}

void lock_queue::downgraded(event_context& context, entry_id id, answer result) {
  entry* const e = entries_.find(id);
  if (!e || !e->is_downgrading()) return;
  const auto begin = context.actions.size();
  end_downgrade(context, *e, result);
  check_granted(context, begin);
}

void lock_queue::end_downgrade(event_context& context, entry& e, answer result) {
  const auto what = e.replaced.answered(result, true);
  if (what == outcome::replaced) entries_.become_reader(e);
  if (what != outcome::replaced) e.replaced.reset();
  if (e.is_leaving()) {
    // Given back meanwhile; now it is known what the node is called.
    if (what == outcome::lost) {
      const auto number = e.number;
      entries_.forget(context, e);
      entries_.lose_pin(context, number);
    } else {
      entries_.remove(context, e);
    }
    return scheduler_.advance(context);
  }
  if (what == outcome::lost) return missing(context, e.id, e.node());
  context.actions.push_back({.what = kind::downgraded,
                             .why = to_reason(result),
                             .wants = e.wants,
                             .entry = e.id,
                             .acquisition = e.acquisition});
  entries_.watch_data_of(context, e);
  scheduler_.advance(context);
}

// The reader's node was asked for. An answer that tells nothing is asked for again.
void lock_queue::settle_downgrade(event_context& context, entry& e, answer inspected) {
  if (inspected == answer::failed) {
    refused_ = true;
    return;
  }
  if (inspected == answer::ok) return downgraded(context, e.id, inspected);
  if (e.is == state::held) return send_downgrade(context, e);
  downgraded(context, e.id, answer::failed);
}

// Which of the two nodes a list shows after the connection was lost.
void lock_queue::settle_downgrade(event_context& context, entry& e, role seen) {
  const bool is_first = seen == e.wants;
  if (!is_first) e.replaced.show();
  if (e.replaced.listed(is_first) == outcome::kept) {
    e.replaced.reset();
    if (e.is == state::held) send_downgrade(context, e);
    return;
  }
  entries_.become_reader(e);
  if (e.is == state::held)
    context.actions.push_back(
        {.what = kind::downgraded, .wants = e.wants, .entry = e.id, .acquisition = e.acquisition});
}

// Without a list only the reader's node tells whether it is there already. Where it is asked for
// twice, the first answer settles it, and the second one finds nothing to settle.
void lock_queue::inspect_readers(event_context& context) {
  for (auto& [id, e] : entries_.all()) {
    if (!e.is_downgrading() || e.replaced.is() == replacement::state::in_flight) continue;
    e.replaced.inspect();
    context.actions.push_back(
        {.what = kind::inspect, .wants = role::shared, .entry = e.id, .number = e.number});
  }
}

} // namespace zklock::queue
