#include "queue/lock_requests.hpp"

#include <utility>

namespace zklock::queue {

using kind = action::kind;

void lock_requests::create(event_context& context, const entry& e) {
  if (!std::exchange(has_directory_, true))
    context.actions.push_back({.what = kind::make_directory});
  context.actions.push_back(
      {.what = kind::create, .wants = e.wants, .entry = e.id, .identity = e.identity});
  // The session is first in, first out: a list sent right behind the create shows the new entry
  // and all entries before it.
  const bool is_alone = entries_.count_in_line() <= 2;
  if (is_alone && line_.needs_list()) list(context, kind::list);
  // If the entry turns out to be the first, the permits are known by then.
  if (settings_.policy.holds_by_permits() && is_alone && !permits_.is_count_known())
    list_permits(context);
  // A lock that is used once must not pay for a watch that helps later uses.
  if (++uses_ >= 2 && line_.arm_directory_watch())
    context.actions.push_back({.what = kind::watch_directory});
}

void lock_requests::list(event_context& context, kind how) {
  line_.channel().begin_list();
  note(request::list);
  context.actions.push_back({.what = how});
}

void lock_requests::list_permits(event_context& context) {
  if (permits_.is_listing()) return;
  permits_.begin_list(line_.channel().next_order());
  note(request::permits);
  context.actions.push_back({.what = kind::list_permits});
}

void lock_requests::ask_limit(event_context& context) {
  if (!permits_.ask_limit()) return;
  note(request::limit);
  context.actions.push_back({.what = kind::ask_limit});
}

void lock_requests::confirm(event_context& context, const entry& e) {
  if (is_confirming()) return;
  confirming_ = e.id;
  context.actions.push_back({.what = kind::confirm,
                             .wants = e.wants,
                             .entry = e.id,
                             .number = e.number,
                             .permits = e.permits()});
}

entry_id lock_requests::end_confirm() noexcept {
  return std::exchange(confirming_, 0);
}

void lock_requests::make_parents(event_context& context) {
  if (std::exchange(is_making_parents_, true)) return;
  note(request::parents);
  context.actions.push_back({.what = kind::make_parents});
}

void lock_requests::parents_made(bool exist) noexcept {
  is_making_parents_ = false;
  if (exist) has_directory_ = true;
}

void lock_requests::disconnected() noexcept {
  is_making_parents_ = false;
  confirming_ = 0;
}

} // namespace zklock::queue
