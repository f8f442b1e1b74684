// How a writer becomes a reader: in one transaction the node of the one is deleted, and one that
// has the same number is made for the other, so that no other writer comes in between. The scheme
// is that of Curator 5.5 (CURATOR-621), which makes the one and later deletes the other.

#include "queue/queue.hpp"

#include <string>
#include <utility>

namespace zklock::queue {

using kind = action::kind;

void queue::downgrade(step step, acquisition_id id) {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return;
  entry& e = *found->second;
  if (e.is != entry::state::held || e.wants != role::exclusive || e.downgrading) return;
  // It is not handed over any more; its turns go on, so that no token comes twice.
  if (e.turn != 0) seats_of(e.wants).spare = 0;
  e.downgrading = true;
  // Otherwise the list of the recovery sees to it.
  if (can_ask()) send_downgrade(step, e);
  shed(step);
}

void queue::send_downgrade(step step, const entry& e) {
  step.actions.push_back(
      {.what = kind::downgrade, .wants = e.wants, .entry = e.id, .number = e.number});
}

void queue::downgraded(step step, entry_id id, answer result) {
  const auto begin = step.actions.size();
  end_downgrade(step, id, result);
  check_granted(step, begin);
}

void queue::end_downgrade(step step, entry_id id, answer result) {
  entry* const e = find(id);
  if (!e || !e->downgrading) return;
  e->downgrading = false;
  if (result == answer::ok) e->wants = role::shared;
  if (e->is == entry::state::removing) {
    // Given back meanwhile; now it is known what the node is called.
    if (result == answer::no_node)
      forget(step, *e);
    else
      remove(step, *e);
    return advance(step);
  }
  if (result == answer::no_node) return missing(step, id, e->node());
  step.actions.push_back({.what = kind::downgraded,
                          .why = to_reason(result),
                          .wants = e->wants,
                          .entry = e->id,
                          .acquisition = e->acquisition});
  advance(step);
}

// Without a list only the reader's node tells whether it is there already.
void queue::settle_doubt(step step, entry& e, answer result) {
  e.doubted = false;
  if (result == answer::ok) return downgraded(step, e.id, result);
  if (e.is == entry::state::held) return send_downgrade(step, e);
  downgraded(step, e.id, answer::failed);
}

// Deletes the node of the reader that a writer may have become before it was given back.
void queue::remove_reader(step step, const entry& e) {
  std::string name;
  append_prefix(name, token_, e.id, rule_.label(role::shared));
  append_number(name, e.number);
  remove_stray(step, std::move(name), false);
}

// Which of the two nodes a list shows after the connection was lost.
void queue::settle_downgrade(step step, entry& e, role seen) {
  if (!e.downgrading) return;
  e.doubted = false;
  if (seen == e.wants && e.is == entry::state::held) return send_downgrade(step, e);
  e.downgrading = false;
  e.wants = seen;
  if (e.is == entry::state::held)
    step.actions.push_back(
        {.what = kind::downgraded, .wants = e.wants, .entry = e.id, .acquisition = e.acquisition});
}

} // namespace zklock::queue
