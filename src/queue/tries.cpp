#include "queue/tries.hpp"

#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

namespace {

constexpr std::uint8_t lists_of_a_patient_try = 3;

} // namespace

void tries::start(event_context& context) {
  if (demands_.tries().empty() || !line_.channel().can_send() || requests_.is_making_parents())
    return;
  const bool by_permits = policy_.holds_by_permits();
  if (by_permits && !permits_.is_limit_known()) return requests_.ask_limit(context);
  const predecessors before = line_.ours();
  for (const auto& one : demands_.tries().fresh()) {
    const bool free =
        by_permits ? !permits_.is_lacking() : policy_.may_hold(before, one.asked.wants);
    if (demands_.is_any_waiting() || !free) refuse(context, one.id);
  }
  demands_.tries().probe(line_.channel().order() + 1);
  if (demands_.tries().empty()) return;
  if (by_permits)
    requests_.list_permits(context);
  else if (!line_.channel().is_listing())
    requests_.list(context, kind::list);
}

void tries::answer_by_line(event_context& context) {
  struct admitted {
    demand one;
    std::uint8_t patience;
  };
  std::vector<admitted> in_line;
  if (!policy_.holds_by_permits()) {
    predecessors before = line_.all(true);
    predecessors in_use = line_.all(false);
    for (const auto& one : demands_.tries().answered_by(line_.channel().list_order())) {
      const auto wants = one.asked.wants;
      const bool may_hold = policy_.may_hold(before, wants);
      if (!demands_.is_any_waiting() && (may_hold || policy_.may_hold(in_use, wants))) {
        before.add(wants);
        in_use.add(wants);
        in_line.push_back({one, may_hold ? std::uint8_t{0} : lists_of_a_patient_try});
      } else {
        refuse(context, one.id);
      }
    }
  }
  // From here on the directory may be deleted and created again before an entry of ours is in it.
  line_.forget_unless_pinned();
  for (const auto& [one, patience] : in_line)
    create(context, one, patience);
}

void tries::answer_by_permits(event_context& context) {
  std::uint32_t admitted = 0;
  for (const auto& one : demands_.tries().answered_by(permits_.list_order())) {
    if (!demands_.is_any_waiting() && permits_.fit(admitted + one.asked.permits)) {
      admitted += one.asked.permits;
      create(context, one, 0);
    } else {
      refuse(context, one.id);
    }
  }
}

void tries::lose_patience() noexcept {
  if (!entries_.is_any_trying_in_line()) return;
  for (entry* e = line_.groups().next_waiting(); e; e = line_.groups().next_waiting(e->number))
    if (e->is == state::queued && e->patience != 0 && line_.channel().list_order() > e->sent)
      --e->patience;
}

// The predecessor of a try may be cached by another client, which evicts the entry when it hears of
// the entry of the try. The eviction takes a write. So the try waits for lists, each behind a write
// of its own.
void tries::be_patient(event_context& context) {
  if (line_.channel().is_listing() || !entries_.is_any_trying_in_line()) return;
  for (const entry* e = line_.groups().next_waiting(); e;
       e = line_.groups().next_waiting(e->number)) {
    if (e->is != state::queued || !e->is_try() || e->patience == 0) continue;
    const named_entry waits{.entry = e->id, .wants = e->wants, .number = e->number};
    context.actions.push_back({.what = kind::check, .checks = {waits}});
    return requests_.list(context, kind::list);
  }
}

void tries::create(event_context& context, const demand& one, std::uint8_t patience) {
  demands_.tries().take(one.id);
  entry* const e = entries_.add_own(context, one, true);
  if (!e)
    return context.actions.push_back(
        {.what = kind::refuse, .why = reason::budget_exhausted, .demand = one.id});
  e->patience = patience;
  requests_.create(context, *e);
}

void tries::refuse(event_context& context, demand_id id) {
  demands_.tries().take(id);
  context.actions.push_back({.what = kind::refuse, .why = reason::busy, .demand = id});
}

} // namespace zklock::queue
