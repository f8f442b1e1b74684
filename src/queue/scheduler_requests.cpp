// What is asked for before anything can be granted, and what becomes of those that try.

#include "queue/scheduler.hpp"

#include <utility>
#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

namespace {

constexpr std::uint8_t lists_of_a_patient_try = 3;

} // namespace

void scheduler::list(event_context& context, kind how) {
  line_.begin_list();
  note(request::list);
  context.actions.push_back({.what = how});
}

void scheduler::list_permits(event_context& context) {
  if (permits_.is_listing()) return;
  permits_.begin_list(line_.next_order());
  note(request::permits);
  context.actions.push_back({.what = kind::list_permits});
}

void scheduler::ask_limit(event_context& context) {
  if (!permits_.ask_limit()) return;
  note(request::limit);
  context.actions.push_back({.what = kind::ask_limit});
}

void scheduler::confirm(event_context& context, const entry& e) {
  if (confirming_ != 0) return;
  confirming_ = e.id;
  context.actions.push_back({.what = kind::confirm,
                             .wants = e.wants,
                             .entry = e.id,
                             .number = e.number,
                             .permits = e.permits()});
}

entry_id scheduler::end_confirm() noexcept {
  return std::exchange(confirming_, 0);
}

// An entry that was deleted by others while it waited is missed as soon as the answer is here; and
// with the entry goes what is known, so that nothing else is granted before the next list. That is
// to be one request with the delete that lets others in, if there is one. An entry that is handed
// over is looked at from time to time, as while it was held. So are permits, which were made just
// before they are granted.
void check_granted(event_context& context, std::size_t begin, entry_id known) {
  // Few enough to stay far below what the servers accept in one packet.
  constexpr std::size_t checks_at_once = 16;
  auto& actions = context.actions;
  const auto end = actions.size();
  auto to = end;
  for (auto i = begin; i < end; ++i)
    if (actions[i].what == kind::remove) to = i;
  for (auto i = begin; i < end; ++i) {
    const action& told = actions[i];
    if (told.what != kind::grant || told.permits != 0 || told.turn != 0 || told.entry == known)
      continue;
    const named_entry granted{.entry = told.entry, .wants = told.wants, .number = told.number};
    if (to == actions.size() || actions[to].checks.size() == checks_at_once) {
      to = actions.size();
      actions.push_back({.what = kind::check});
    }
    actions[to].checks.push_back(granted);
  }
}

void scheduler::make_parents(event_context& context) {
  if (std::exchange(is_making_parents_, true)) return;
  note(request::parents);
  context.actions.push_back({.what = kind::make_parents});
}

void scheduler::parents_made(bool exist) noexcept {
  is_making_parents_ = false;
  if (exist) has_directory_ = true;
}

void scheduler::start_tries(event_context& context) {
  if (waiters_.without_entry().empty() || !line_.can_ask() || is_making_parents_) return;
  const bool by_permits = settings_.policy.holds_by_permits();
  if (by_permits && !permits_.is_limit_known()) return ask_limit(context);
  const predecessors before = line_.ours();
  for (const auto& one : waiters_.without_entry().fresh()) {
    const bool free =
        by_permits ? !lacks_permits_ : settings_.policy.may_hold(before, one.asked.wants);
    if (waiters_.is_any_waiting() || !free) refuse_attempt(context, one.id, reason::busy);
  }
  waiters_.without_entry().probe(line_.order() + 1);
  if (waiters_.without_entry().empty()) return;
  if (by_permits)
    list_permits(context);
  else if (!line_.is_listing())
    list(context, kind::list);
}

void scheduler::answer_tries_by_line(event_context& context) {
  struct admitted {
    attempts::attempt one;
    std::uint8_t patience;
  };
  std::vector<admitted> in_line;
  if (!settings_.policy.holds_by_permits()) {
    predecessors before = line_.all(true);
    predecessors in_use = line_.all(false);
    for (const auto& one : waiters_.without_entry().answered_by(line_.list_order())) {
      const auto wants = one.asked.wants;
      const bool may_hold = settings_.policy.may_hold(before, wants);
      if (!waiters_.is_any_waiting() && (may_hold || settings_.policy.may_hold(in_use, wants))) {
        before.add(wants);
        in_use.add(wants);
        in_line.push_back({one, may_hold ? std::uint8_t{0} : lists_of_a_patient_try});
      } else {
        refuse_attempt(context, one.id, reason::busy);
      }
    }
  }
  // From here on the directory may be deleted and made again before anything of ours is in it.
  line_.forget_unless_pinned();
  for (const auto& [one, patience] : in_line)
    create_for_try(context, one, patience);
}

// What keeps a try from holding may be kept without being used. Its client gives it back when it
// hears of the entry of the try, which takes a write. So the try waits for lists, each behind a
// write of its own.
void scheduler::be_patient(event_context& context) {
  if (line_.is_listing() || !waiters_.is_any_trying_in_line()) return;
  for (const entry* e = line_.groups().next_waiting(); e;
       e = line_.groups().next_waiting(e->number)) {
    if (e->is != state::queued || !e->is_try() || e->patience == 0) continue;
    const named_entry waits{.entry = e->id, .wants = e->wants, .number = e->number};
    context.actions.push_back({.what = kind::check, .checks = {waits}});
    return list(context, kind::list);
  }
}

void scheduler::lose_patience() noexcept {
  if (!waiters_.is_any_trying_in_line()) return;
  for (entry* e = line_.groups().next_waiting(); e; e = line_.groups().next_waiting(e->number))
    if (e->is == state::queued && e->patience != 0 && line_.list_order() > e->sent) --e->patience;
}

void scheduler::answer_tries_by_permits(event_context& context) {
  std::uint32_t admitted = 0;
  for (const auto& one : waiters_.without_entry().answered_by(permits_.list_order())) {
    if (!waiters_.is_any_waiting() && permits_.fit(admitted + one.asked.permits)) {
      admitted += one.asked.permits;
      create_for_try(context, one, 0);
    } else {
      refuse_attempt(context, one.id, reason::busy);
    }
  }
}

void scheduler::create_for_try(event_context& context, const attempts::attempt& one,
                               std::uint8_t patience) {
  entry* const e = create(context, one.asked);
  if (!e) return refuse_attempt(context, one.id, reason::budget_exhausted);
  e->patience = patience;
  waiters_.assign_attempt(one.id, *e);
}

void scheduler::refuse_attempt(event_context& context, acquisition_id id, reason why) {
  waiters_.withdraw(id);
  refuse(context, id, why);
}

} // namespace zklock::queue
