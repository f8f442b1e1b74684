#include "queue/reconciler.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

void reconciler::listed(event_context& context, std::span<const std::string_view> names,
                        std::int64_t children_ever, bool recovers) {
  auto shown = line_.read(names, children_ever);
  for (const auto& [parsed, name] : shown.own) {
    entry* const e = entries_.find(parsed.id);
    if (!e || (recovers && !is_node_of(*e, parsed, shown))) {
      orphans_.remove(context, std::string(name), false);
      continue;
    }
    e->seen = line_.channel().list_order();
    if (!recovers) continue;
    // The servers have come back with older data.
    if (e->replaced.is_done() && e->node() != form{.wants = parsed.wants}) {
      life_.undo_replacement(context, *e, parsed.wants);
      continue;
    }
    if (e->is == state::unconfirmed || e->is == state::abandoned) e->number = parsed.number;
    settle(context, *e, seen_of(*e, parsed.wants));
  }
  line_.adopt(shown);
  const bool may_be_another = settle_missing(context, recovers) || line_.is_pin_lost();
  line_.complete(shown);
  if (may_be_another) lose_overtaken(context);
}

// No state of the servers has two nodes of an entry in line, or a node in line beside the permits
// that have replaced it. But a server that differs may show a deleted node beside the node that has
// replaced it, and other clients may make a node with a name like an entry's name. The entry goes
// on by its last node.
bool reconciler::is_node_of(const entry& e, const entry_name& node,
                            const line::listing& shown) const {
  if (e.seen == line_.channel().list_order()) return false;
  const bool is_numbered = e.is != state::unconfirmed && e.is != state::abandoned;
  if (is_numbered && node.number != e.number) return false;
  if (e.permits() != 0) return node.wants == e.wants && !e.replaced.is_listed();
  if (e.replaced.is() == replacement::state::none) return node.wants == e.wants;
  return node.wants == role::shared || std::ranges::none_of(shown.own, [&](const auto& other) {
           return other.parsed.id == e.id && other.parsed.number == e.number &&
                  other.parsed.wants == role::shared;
         });
}

// Settles the entries whose nodes the list does not show. An entry that was created before the list
// was sent has no node any more, or its create failed. Returns whether other clients have deleted
// an entry in line, or may have.
bool reconciler::settle_missing(event_context& context, bool recovers) {
  const auto order = line_.channel().list_order();
  std::vector<entry*> missing;
  for (auto& [id, e] : entries_.all()) {
    const bool is_in_line = line_.groups().contains(e) && e.permits() == 0;
    if (e.seen != order && (recovers || (is_in_line && e.sent < order))) missing.push_back(&e);
  }
  bool any_in_line = false;
  for (entry* const e : missing) {
    if (e->permits() != 0) {
      settle(context, *e, seen_of_permits(*e));
      continue;
    }
    // Other clients may have deleted the node before this client did.
    any_in_line |= e->number >= 0;
    if (recovers && e->number >= 0) life_.remove_permits_behind(e->number);
    settle_node(context, *e, seen::none);
  }
  return any_in_line;
}

void reconciler::not_listed(event_context& context) {
  std::vector<entry*> all;
  for (auto& [id, e] : entries_.all())
    all.push_back(&e);
  for (entry* const e : all)
    settle(context, *e, seen::unknown);
  downgrades_.inspect(context);
}

reconciler::seen reconciler::seen_of(const entry& e, role shown) noexcept {
  return e.is_downgrading() && shown != e.wants ? seen::replaced : seen::first;
}

reconciler::seen reconciler::seen_of_permits(const entry& e) noexcept {
  if (e.replaced.is_all_shown()) return seen::replaced;
  return e.replaced.is_shown() ? seen::part : seen::none;
}

void reconciler::settle(event_context& context, entry& e, seen what) {
  if (e.is_downgrading()) return settle_downgrade(context, e, what);
  if (e.is_replacing()) return settle_replacing(context, e, what);
  if (e.permits() != 0) return settle_permits(context, e, what);
  settle_node(context, e, what);
}

void reconciler::settle_node(event_context& context, entry& e, seen what) {
  const bool is_created = e.is != state::unconfirmed && e.is != state::abandoned;
  if (e.is_leaving()) {
    what == seen::none ? life_.forget(context, e) : life_.remove(context, e);
  } else if (is_created) {
    if (what == seen::none) life_.lose_node(context, e);
  } else if (what != seen::first) {
    life_.vacate(context, e);
    life_.forget(context, e);
  } else if (life_.arrive(context, e, state::inspecting)) {
    context.actions.push_back(
        {.what = kind::inspect, .wants = e.wants, .entry = e.id, .number = e.number});
  }
}

void reconciler::settle_downgrade(event_context& context, entry& e, seen what) {
  if (what == seen::unknown) return;
  if (what == seen::none) return settle_node(context, e, what);
  if (what == seen::replaced) {
    e.replaced.complete();
    life_.become_reader(e);
  } else {
    e.replaced.reset();
  }
  if (e.is_leaving()) return life_.remove(context, e);
  if (what == seen::first) return downgrades_.send(context, e);
  context.actions.push_back({.what = kind::downgraded, .wants = e.wants, .entry = e.id});
}

// The permits exist, or the entry was deleted by other clients, unless its node is there. If no
// list tells, and the permits exist, the next list of the permits shows orphans.
void reconciler::settle_replacing(event_context& context, entry& e, seen what) {
  if (what == seen::first) return life_.back_in_line(context, e);
  if (what == seen::unknown) {
    life_.requeue(e);
    life_.end_permits(e);
    return life_.remove(context, e);
  }
  line_.groups().erase(e);
  e.replaced.complete();
  const bool is_lost = what != seen::replaced || e.removes_permits;
  if (is_lost) {
    life_.requeue(e);
    life_.remove_permits_behind(e.number);
  }
  if (what == seen::none) return life_.forget(context, e);
  if (is_lost || e.is == state::releasing) return life_.remove(context, e);
  entries_.set(e, state::inspecting);
  settle_permits(context, e, what);
}

void reconciler::settle_permits(event_context& context, entry& e, seen what) {
  const bool are_gone = what == seen::part || what == seen::none;
  if (e.is_leaving())
    what == seen::none ? life_.forget(context, e) : life_.remove(context, e);
  else if (are_gone)
    life_.lose_permit(context, e);
  else if (e.is == state::inspecting)
    context.actions.push_back({.what = kind::inspect_permit, .wants = e.wants, .entry = e.id});
}

// All entries before a held entry were known to be gone, and numbers rise. But if other clients
// have deleted entries of ours, the directory may have been deleted and created again, with exactly
// the numbers that follow: then an entry may be before the held entry. Otherwise such an entry was
// given its name by hand, and ends no hold.
void reconciler::lose_overtaken(event_context& context) {
  std::vector<entry*> overtaken;
  for (const auto& [number, e] : line_.own())
    if (e->is == state::held && line_.is_overtaken(*e)) overtaken.push_back(e);
  for (entry* const e : overtaken) {
    life_.lose(context, *e, reason::entry_deleted);
    life_.remove(context, *e);
  }
}

} // namespace zklock::queue
