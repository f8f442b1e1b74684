// What a list of the directory shows.

#include "queue/queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

void queue::listed(event_context& context, answer result, std::span<const std::string_view> names,
                   std::int64_t children_ever) {
  listing_ = false;
  // Without it nobody knows what the lost connection left behind. What the list of permits would
  // have shown is asked for one by one.
  if (recovering_ && result == answer::failed) {
    relist_ = refused_ = true;
    return;
  }
  const bool recovered = std::exchange(recovering_, false);
  if (result != answer::ok && result != answer::no_node) {
    // Without lists nobody can be sure to be the first.
    if (recovered) settle_unlisted(context);
    return refuse_all(context, result == answer::failed ? reason::failed : reason::no_permission);
  }
  if (result == answer::no_node) directory_ = presence::absent;

  const foreign_map before = std::exchange(foreign_, {});
  foreign_map others;
  // Numbers are given out in order, one for each child that the directory ever had. A child with
  // a higher one was given its whole name: it is behind all that get in line until numbers come to
  // it, and must not make the next of them look like one of another directory.
  sequence highest = std::max(known_.value_or(-1), children_ever - 1);
  for (const auto name : names) {
    const auto parsed = parse_entry_name(name);
    if (!parsed) continue;
    if (parsed->has_id && parsed->token == token_) {
      highest = std::max(highest, parsed->number);
      settle_seen(context, *parsed, name, recovered);
      continue;
    }
    bool watched = false;
    for (auto [it, end] = before.equal_range(parsed->number); it != end; ++it)
      watched |= it->second.watched && it->second.name == name;
    others.emplace(parsed->number,
                   foreign{std::string(name), settings_.policy.seen_as(parsed->wants), watched});
  }
  foreign_ = std::move(others);
  settle_unseen(context, recovered);
  if (recovered) settle_permits(context);
  known_ = highest;
  if (!own_.empty() && own_.begin()->second->is == entry::state::taking) permits_.known = false;
  for (auto& [number, e] : own_)
    if (e->ahead == entry::plan::verifying) e->ahead = entry::plan::none;

  const auto admitted = settle_tries(context);
  // From here on the directory may be deleted and made again before anything of ours is in it.
  if (!anchored()) forget_others();
  for (const auto id : admitted)
    create_for_try(context, id);
  advance(context);
}

// Which of the tries that this list answers may have a node.
std::vector<acquisition_id> queue::settle_tries(event_context& context) {
  std::vector<acquisition_id> admitted;
  if (settings_.policy.holds_by_permits()) return admitted;
  predecessors before = ours();
  for (const auto& [number, other] : foreign_)
    if (number <= known_) before.add(other.wants);
  for (auto it = tries_.begin(); it != tries_.end();) {
    const auto& [id, one] = *it;
    if (!one.probing || one.sent > list_sent_) {
      ++it;
    } else if (waiting_.empty() && settings_.policy.may_hold(before, one.asked.wants)) {
      before.add(one.asked.wants);
      admitted.push_back(id);
      ++it;
    } else {
      refuse(context, id, reason::busy);
      it = tries_.erase(it);
    }
  }
  return admitted;
}

void queue::create_for_try(event_context& context, acquisition_id id) {
  const auto it = tries_.find(id);
  const lock_mode asked = it->second.asked;
  entry* const e = create(context, asked);
  tries_.erase(it);
  if (!e) return refuse(context, id, reason::budget_exhausted);
  e->wanted = asked.permits;
  e->tries = true;
  e->acquisition = id;
  ++tries_in_line_;
  holders_.emplace(id, e);
}

// The list that was to settle what a lost connection left open was refused. What may be left of
// creates in flight goes with the session.
void queue::settle_unlisted(event_context& context) {
  std::vector<entry*> open;
  for (auto& [id, e] : entries_)
    if (e.is == entry::state::unsure || e.is == entry::state::taking ||
        e.is == entry::state::removing)
      open.push_back(&e);
  for (auto& [id, e] : entries_)
    if (e.downgrading && e.is == entry::state::held) {
      e.doubted = true;
      context.actions.push_back(
          {.what = kind::inspect, .wants = role::shared, .entry = e.id, .number = e.number});
    }
  for (auto& [id, e] : entries_)
    if (e.permits != 0 && e.is == entry::state::inspecting)
      context.actions.push_back({.what = kind::inspect_permit, .wants = e.wants, .entry = e.id});
  grant_taken(context);
  for (entry* const e : open) {
    if (e->is == entry::state::removing) {
      if (e->downgrading) remove_reader(context, *e);
      e->downgrading = false;
      remove(context, *e);
    } else if (e->is == entry::state::taking) {
      // If it was replaced, the next list of permits shows strays.
      leave_taking(*e);
      remove(context, *e);
    } else {
      vacate(context, *e);
      forget(context, *e);
    }
  }
}

void queue::settle_seen(event_context& context, const entry_name& parsed, std::string_view name,
                        bool recovered) {
  entry* const e = find(parsed.id);
  if (!e) return remove_stray(context, std::string(name), false);
  e->seen = list_sent_;
  if (recovered) settle_downgrade(context, *e, parsed.wants);
  if (e->is == entry::state::removing && recovered) remove(context, *e);
  if (e->is == entry::state::taking && recovered) untake(context, *e);
  if (e->is != entry::state::unsure) return;
  e->number = parsed.number;
  if (arrive(context, *e, entry::state::inspecting))
    context.actions.push_back(
        {.what = kind::inspect, .wants = e->wants, .entry = e->id, .number = e->number});
}

// Who is not in the list although he was created before it was asked for has no node any more,
// or never had one.
void queue::settle_unseen(event_context& context, bool recovered) {
  std::vector<entry*> unseen;
  for (const auto& [number, e] : own_)
    if (e->permits == 0 && e->sent < list_sent_ && e->seen != list_sent_) unseen.push_back(e);
  if (recovered)
    for (auto& [id, e] : entries_)
      if (e.permits == 0 && e.seen != list_sent_ &&
          (e.is == entry::state::unsure || e.is == entry::state::removing))
        unseen.push_back(&e);

  for (entry* const e : unseen) {
    if (e->is == entry::state::queued || e->is == entry::state::held ||
        e->is == entry::state::inspecting) {
      lose_node(context, *e);
      continue;
    }
    if (e->is == entry::state::unsure) vacate(context, *e);
    forget(context, *e);
  }
}

} // namespace zklock::queue
