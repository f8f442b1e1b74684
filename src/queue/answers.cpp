// What the servers answer, and what others do.

#include "queue/queue.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

using kind = action::kind;

reason queue::to_reason(answer result) noexcept {
  switch (result) {
  case answer::no_permission:
    return reason::no_permission;
  case answer::parent_is_ephemeral:
    return reason::parent_is_ephemeral;
  case answer::no_node:
    return reason::no_chroot;
  case answer::ok:
    return reason::none;
  default:
    return reason::failed;
  }
}

void queue::directory_made(event_context& context, answer result) {
  making_parents_ = false;
  if (result != answer::ok) return refuse_all(context, to_reason(result));
  directory_ = presence::present;
  advance(context);
}

void queue::created(event_context& context, entry_id id, answer result, sequence number,
                    std::int64_t czxid) {
  entry& e = *find(id);
  creating_.remove(e.wants);

  if (result == answer::no_node) {
    // The directory is not there, or is there no more. The create that follows is the same use.
    --uses_;
    directory_ = directory_watch_ = presence::absent;
    vacate(context, e);
    forget(context, e);
    clear_line(context);
    if (!making_parents_) context.actions.push_back({.what = kind::make_parents});
    making_parents_ = true;
    return;
  }
  if (result != answer::ok) {
    vacate(context, e, to_reason(result));
    forget(context, e);
    if (!anchored()) forget_others();
    return advance(context);
  }

  e.number = number;
  e.czxid = czxid;
  // Numbers rise, until they turn negative. One that does not rise shows that the directory is
  // another one.
  const bool falls = number <= known_ || (!own_.empty() && number <= own_.rbegin()->first);
  if (falls && number >= 0) clear_line(context);
  // Where nothing was known, a list is on its way; but the number 0 shows that no child was before.
  const sequence next = known_ ? *known_ + 1 : 0;
  met_gap_ = known_ && number != next;
  if (number == next) known_ = number;
  arrive(context, e, entry::state::queued);
  advance(context);
}

void queue::inspected(event_context& context, entry_id id, answer result, std::int64_t czxid) {
  entry* const e = find(id);
  if (e && e->doubted) return settle_doubt(context, *e, result);
  if (!e || e->is != entry::state::inspecting) return;
  if (result == answer::ok) {
    e->is = e->permits == 0 ? entry::state::queued : entry::state::taken;
    e->czxid = czxid;
  } else if (result == answer::no_node) {
    return missing(context, id, e->node());
  } else {
    if (e->permits == 0)
      vacate(context, *e, to_reason(result));
    else
      refuse_taking(context, *e, to_reason(result));
    remove(context, *e);
  }
  advance(context);
}

void queue::watched(event_context& context, std::string_view name, answer result) {
  if (result == answer::ok) return;
  if (result == answer::no_node) return entry_changed(context, name, true);
  // Those who come later must try again.
  if (const auto it = find_foreign(name); it != foreign_.end()) it->second.watched = false;
  refuse_all(context, to_reason(result));
}

void queue::entry_changed(event_context& context, std::string_view name, bool deleted) {
  const auto it = find_foreign(name);
  if (it == foreign_.end()) return;
  if (deleted && (it->second.unsure || settings_.policy.may_be_replaced(it->second.wants))) {
    it->second.unsure = true;
    it->second.wants = role::shared;
  } else if (deleted) {
    foreign_.erase(it);
    // Whoever stood behind one of ours that was robbed of its place may have taken permits.
    permits_.known = false;
  } else {
    it->second.watched = false;
    for (auto& [number, e] : own_)
      e->ahead = entry::plan::none;
  }
  advance(context);
}

void queue::directory_watched(event_context& context, answer result) {
  if (directory_watch_ != presence::asked) return;
  directory_watch_ = result == answer::ok ? presence::present : presence::absent;
  if (!anchored()) forget_others();
  advance(context);
}

void queue::directory_changed(event_context& context, bool deleted) {
  directory_watch_ = presence::absent;
  if (deleted) {
    directory_ = presence::absent;
    clear_line(context);
  } else if (!anchored()) {
    forget_others();
  }
  advance(context);
}

void queue::missing(event_context& context, entry_id id, form node) {
  entry* const e = find(id);
  if (!e || e->is == entry::state::removing || e->node() != node) return;
  if (node.is_permit) {
    missing_permit(context, *e);
    return advance(context);
  }
  // The answer that is on its way tells.
  if (e->downgrading) return;
  if (!own_.contains(e->number)) return;
  lose_node(context, *e);
  // It may have been the only thing that kept the directory.
  forget_others();
  advance(context);
}

void queue::confirmed(event_context& context) {
  const auto begin = context.actions.size();
  const auto known = std::exchange(confirming_, 0);
  advance(context);
  // Others than the one that was asked for may hold, too.
  if (!settings_.policy.holds_by_permits()) check_granted(context, begin, known);
}

} // namespace zklock::queue
