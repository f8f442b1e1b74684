// How a writer becomes a reader: in one transaction the node of the one is deleted, and one that
// has the same number is made for the other, so that no other writer comes in between. The scheme
// is that of Curator 5.5 (CURATOR-621), which makes the one and later deletes the other.

#include "queue/queue.hpp"

#include <string>
#include <utility>

namespace zklock::queue {

using kind = action::kind;

void queue::downgrade(event_context& context, acquisition_id id) {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return;
  entry& e = *found->second;
  if (e.is != entry::state::held || e.wants != role::exclusive || e.downgrading) return;
  // It is not handed over any more; its turns go on, so that no token comes twice.
  if (e.turn != 0) seats_of(e.wants).spare = 0;
  e.downgrading = true;
  // Otherwise the list of the recovery sees to it.
  if (can_ask()) send_downgrade(context, e);
  shed(context);
}

void queue::send_downgrade(event_context& context, const entry& e) {
  context.actions.push_back(
      {.what = kind::downgrade, .wants = e.wants, .entry = e.id, .number = e.number});
}

void queue::downgraded(event_context& context, entry_id id, answer result) {
  const auto begin = context.actions.size();
  end_downgrade(context, id, result);
  check_granted(context, begin);
}

void queue::end_downgrade(event_context& context, entry_id id, answer result) {
  entry* const e = find(id);
  if (!e || !e->downgrading) return;
  e->downgrading = false;
  if (result == answer::ok) e->wants = role::shared;
  if (e->is == entry::state::removing) {
    // Given back meanwhile; now it is known what the node is called.
    if (result == answer::no_node)
      forget(context, *e);
    else
      remove(context, *e);
    return advance(context);
  }
  if (result == answer::no_node) return missing(context, id, e->node());
  context.actions.push_back({.what = kind::downgraded,
                             .why = to_reason(result),
                             .wants = e->wants,
                             .entry = e->id,
                             .acquisition = e->acquisition});
  advance(context);
}

// Without a list only the reader's node tells whether it is there already.
void queue::settle_doubt(event_context& context, entry& e, answer result) {
  e.doubted = false;
  if (result == answer::ok) return downgraded(context, e.id, result);
  if (e.is == entry::state::held) return send_downgrade(context, e);
  downgraded(context, e.id, answer::failed);
}

// Deletes the node of the reader that a writer may have become before it was given back.
void queue::remove_reader(event_context& context, const entry& e) {
  std::string name;
  append_prefix(name, token_, e.id, settings_.policy.label(role::shared));
  append_number(name, e.number);
  remove_stray(context, std::move(name), false);
}

// Which of the two nodes a list shows after the connection was lost.
void queue::settle_downgrade(event_context& context, entry& e, role seen) {
  if (!e.downgrading) return;
  e.doubted = false;
  if (seen == e.wants && e.is == entry::state::held) return send_downgrade(context, e);
  e.downgrading = false;
  e.wants = seen;
  if (e.is == entry::state::held)
    context.actions.push_back(
        {.what = kind::downgraded, .wants = e.wants, .entry = e.id, .acquisition = e.acquisition});
}

} // namespace zklock::queue
