// What lists of the permits show.

#include "queue/queue.hpp"

#include <string>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

void queue::list_permits(event_context& context) {
  if (permits_.listing) return;
  permits_.listing = permits_.watched = true;
  permits_.sent = ++sent_;
  context.actions.push_back({.what = kind::list_permits});
}

void queue::permits_listed(event_context& context, answer result,
                           std::span<const std::string_view> names) {
  permits_.listing = false;
  // Where there is no directory there is nothing to wait for: nobody makes it while we are first.
  permits_.watched = result == answer::ok || result == answer::no_node;
  if (!permits_.watched && !recovering_) return refuse_all(context, to_reason(result));
  permits_.others = 0;
  // What may not be seen is taken for there: asking for it, or deleting it, shows.
  for (auto& [id, e] : entries_)
    e.permits_seen = permits_.watched ? 0 : e.permits;
  for (const auto name : names) {
    const auto id = parse_permit(name, token_);
    entry* const e = id ? find(*id) : nullptr;
    if (!id)
      ++permits_.others;
    else if (e && e->permits != 0)
      ++e->permits_seen;
    else
      remove_stray(context, std::string(name), true);
  }
  // The list of the entries, which follows, settles what a lost connection left open.
  if (recovering_) return;
  std::vector<entry*> unseen;
  for (auto& [id, e] : entries_)
    if ((e.is == entry::state::held || e.is == entry::state::taken) && e.permits_seen != e.permits)
      unseen.push_back(&e);
  for (entry* const e : unseen)
    missing_permit(context, *e);
  permits_.known = first_in_line();
  answer_tries(context);
  advance(context);
}

// Tries that have been asked for before the list of permits.
void queue::answer_tries(event_context& context) {
  std::uint32_t admitted = 0;
  for (auto it = tries_.begin(); it != tries_.end();) {
    const auto id = it->first;
    const auto one = (it++)->second;
    if (!one.probing || one.sent > permits_.sent) continue;
    if (waiting_.empty() && fits(admitted + one.asked.permits)) {
      admitted += one.asked.permits;
      create_for_try(context, id);
    } else {
      tries_.erase(id);
      refuse(context, id, reason::busy);
    }
  }
}

void queue::permits_changed(event_context& context) {
  permits_.watched = false;
  advance(context);
}

// What a lost connection left open.
void queue::settle_permits(event_context& context) {
  std::vector<entry*> open;
  for (auto& [id, e] : entries_)
    if (e.permits != 0) open.push_back(&e);
  for (entry* const e : open)
    settle_permits(context, *e);
}

void queue::settle_permits(event_context& context, entry& e) {
  const bool all = e.permits_seen == e.permits;
  if (e.is == entry::state::taking) {
    // The entry is gone, and what it was replaced by is there; or it was deleted by somebody else.
    if (const auto it = own_.find(e.number); it != own_.end() && it->second == &e) own_.erase(it);
    if (!all)
      wait_again(e);
    else if (!e.given_back)
      e.is = entry::state::inspecting;
  }
  if (e.is == entry::state::taking || e.is == entry::state::removing)
    return e.permits_seen != 0 ? remove(context, e) : forget(context, e);
  if (!all) return missing_permit(context, e);
  if (e.is == entry::state::inspecting)
    context.actions.push_back({.what = kind::inspect_permit, .wants = e.wants, .entry = e.id});
}

} // namespace zklock::queue
