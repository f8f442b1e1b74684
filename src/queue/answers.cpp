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

void queue::directory_made(step step, answer result) {
  making_parents_ = false;
  if (result != answer::ok) return refuse_all(step, to_reason(result));
  directory_ = presence::present;
  advance(step);
}

void queue::created(step step, entry_id id, answer result, sequence number, std::int64_t czxid) {
  entry& e = *find(id);
  creating_.leave(e.wants);

  if (result == answer::no_node) {
    // The directory is not there, or is there no more. The create that follows is the same use.
    --uses_;
    directory_ = directory_watch_ = presence::absent;
    vacate(step, e);
    forget(step, e);
    clear_line(step);
    if (!making_parents_) step.actions.push_back({.what = kind::make_parents});
    making_parents_ = true;
    return;
  }
  if (result != answer::ok) {
    vacate(step, e, to_reason(result));
    forget(step, e);
    if (!anchored()) forget_others();
    return advance(step);
  }

  e.number = number;
  e.czxid = czxid;
  // Numbers rise, until they turn negative. One that does not rise shows that the directory is
  // another one.
  const bool falls = number <= known_ || (!own_.empty() && number <= own_.rbegin()->first);
  if (falls && number >= 0) clear_line(step);
  // Where nothing was known, a list is on its way; but the number 0 shows that no child was before.
  const sequence next = known_ ? *known_ + 1 : 0;
  met_gap_ = known_ && number != next;
  if (number == next) known_ = number;
  arrive(step, e, entry::state::queued);
  advance(step);
}

void queue::inspected(step step, entry_id id, answer result, std::int64_t czxid) {
  entry* const e = find(id);
  if (e && e->doubted) return settle_doubt(step, *e, result);
  if (!e || e->is != entry::state::inspecting) return;
  if (result == answer::ok) {
    e->is = e->permits == 0 ? entry::state::queued : entry::state::taken;
    e->czxid = czxid;
  } else if (result == answer::no_node) {
    return missing(step, id, e->node());
  } else {
    if (e->permits == 0)
      vacate(step, *e, to_reason(result));
    else
      refuse_taking(step, *e, to_reason(result));
    remove(step, *e);
  }
  advance(step);
}

void queue::watched(step step, std::string_view name, answer result) {
  if (result == answer::ok) return;
  if (result == answer::no_node) return entry_changed(step, name, true);
  // Those who come later must try again.
  if (const auto it = find_foreign(name); it != foreign_.end()) it->second.watched = false;
  refuse_all(step, to_reason(result));
}

void queue::entry_changed(step step, std::string_view name, bool deleted) {
  const auto it = find_foreign(name);
  if (it == foreign_.end()) return;
  if (deleted && (it->second.unsure || rule_.changes(it->second.wants))) {
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
  advance(step);
}

void queue::directory_watched(step step, answer result) {
  if (directory_watch_ != presence::asked) return;
  directory_watch_ = result == answer::ok ? presence::present : presence::absent;
  if (!anchored()) forget_others();
  advance(step);
}

void queue::directory_changed(step step, bool deleted) {
  directory_watch_ = presence::absent;
  if (deleted) {
    directory_ = presence::absent;
    clear_line(step);
  } else if (!anchored()) {
    forget_others();
  }
  advance(step);
}

void queue::missing(step step, entry_id id, form node) {
  entry* const e = find(id);
  if (!e || e->is == entry::state::removing || e->node() != node) return;
  if (node.is_permit) {
    missing_permit(step, *e);
    return advance(step);
  }
  // The answer that is on its way tells.
  if (e->downgrading) return;
  if (!own_.contains(e->number)) return;
  lose_node(step, *e);
  // It may have been the only thing that kept the directory.
  forget_others();
  advance(step);
}

void queue::confirmed(step step) {
  const auto begin = step.actions.size();
  const auto known = std::exchange(confirming_, 0);
  advance(step);
  // Others than the one that was asked for may hold, too.
  if (!settings_.counted) check_granted(step, begin, known);
}

} // namespace zklock::queue
