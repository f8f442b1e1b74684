// Which combinations of an entry's state, its replacement and its acquisition can occur.

#include "conduct.hpp"
#include "failure.hpp"

namespace simulation {

namespace {

using zklock::queue::entry;

bool is_replaced_as_its_state_says(const entry& e) {
  const bool none = e.replaced.is() == zklock::queue::replacement::state::none;
  const bool by_permits = e.permits() != 0;
  switch (e.is) {
  case entry::state::creating:
  case entry::state::unconfirmed:
  case entry::state::abandoned:
  case entry::state::queued:
    return none;
  case entry::state::cached:
    return none || (!by_permits && e.replaced.is_done());
  case entry::state::inspecting:
    return none || (by_permits && e.replaced.is_done());
  case entry::state::granting:
    return by_permits && !none;
  case entry::state::releasing:
    return e.is_replacing();
  case entry::state::held:
  case entry::state::removing:
    return !e.is_replacing();
  case entry::state::refused:
    return !e.replaced.is_open();
  }
  return false;
}

bool is_assigned_as_its_state_says(const entry& e) {
  switch (e.is) {
  case entry::state::held:
    return e.has_holder && e.assigned == 0;
  case entry::state::granting:
    return !e.has_holder && e.assigned != 0;
  case entry::state::removing:
  case entry::state::refused:
    return e.assigned == 0;
  case entry::state::abandoned:
  case entry::state::cached:
  case entry::state::releasing:
    return !e.has_holder && e.assigned == 0;
  default:
    return !e.has_holder;
  }
}

} // namespace

void conduct::check_states(const zklock::queue::lock_queue& queue) {
  for (const auto& [id, e] : queue.entries()) {
    if (!is_replaced_as_its_state_says(e))
      fail("entry ", id, " is in state ", static_cast<int>(e.is), ", but its replacement in state ",
           static_cast<int>(e.replaced.is()));
    if (!is_assigned_as_its_state_says(e))
      fail("entry ", id, " is in state ", static_cast<int>(e.is), ", its holder is ", e.has_holder,
           ", and it is for ", e.assigned);
  }
}

} // namespace simulation
