// What a list of the directory shows.

#include "queue/queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

void queue::listed(step step, answer result, std::span<const std::string_view> names,
                   std::int64_t children_ever) {
  listing_ = false;
  const bool recovered = std::exchange(recovering_, false);
  if (result != answer::ok && result != answer::no_node) {
    // Without lists nobody can be sure to be the first.
    if (recovered) settle_unlisted(step);
    return refuse_all(step, result == answer::failed ? reason::failed : reason::no_permission);
  }
  if (result == answer::no_node) directory_ = presence::absent;

  foreign_map before = std::exchange(foreign_, {});
  sequence largest = std::max(known_, children_ever - 1);
  for (const auto name : names) {
    const auto parsed = parse_entry_name(name);
    if (!parsed) continue;
    largest = std::max(largest, parsed->number);
    if (parsed->has_id && parsed->token == token_) {
      settle_seen(step, *parsed, name, recovered);
      continue;
    }
    bool watched = false;
    for (auto [it, end] = before.equal_range(parsed->number); it != end; ++it)
      watched |= it->second.watched && it->second.name == name;
    foreign_.emplace(parsed->number,
                     foreign{std::string(name), rule_.seen_as(parsed->wants), watched});
  }
  settle_unseen(step, recovered);
  known_ = largest;
  for (auto& [number, e] : own_)
    if (e->ahead == entry::plan::verifying) e->ahead = entry::plan::none;

  const auto admitted = settle_tries(step);
  // From here on the directory may be deleted and made again before anything of ours is in it.
  if (!anchored()) forget_others();
  for (const auto id : admitted) {
    entry& e = *find(id);
    if (create(step, e)) continue;
    refuse(step, e, reason::no_room);
    forget(step, e);
  }
  advance(step);
}

// Which of the tries that this list answers may have a node.
std::vector<entry_id> queue::settle_tries(step step) {
  std::vector<entry_id> admitted;
  ahead before = ours();
  for (const auto& [number, other] : foreign_)
    before.pass(other.wants);
  for (auto it = tries_.begin(); it != tries_.end();) {
    entry& e = *find(*it);
    if (e.is != entry::state::probing || e.sent > list_sent_) {
      ++it;
      continue;
    }
    it = tries_.erase(it);
    if (waiting_.empty() && rule_.admits(before, e.wants)) {
      before.pass(e.wants);
      admitted.push_back(e.id);
    } else {
      refuse(step, e, reason::busy);
      forget(step, e);
    }
  }
  return admitted;
}

// The list that was to settle what a lost connection left open was refused. What may be left of
// creates in flight goes with the session.
void queue::settle_unlisted(step step) {
  std::vector<entry_id> open;
  for (const auto& [id, e] : entries_)
    if (e.is == entry::state::unsure || e.is == entry::state::removing) open.push_back(id);
  for (const auto id : open) {
    entry& e = *find(id);
    if (e.is == entry::state::removing) {
      remove(step, e);
    } else {
      --unheld_;
      if (!e.abandoned) refuse(step, e, reason::no_permission);
      forget(step, e, reason::no_permission);
    }
  }
}

void queue::settle_seen(step step, const entry_name& parsed, std::string_view name,
                        bool recovered) {
  entry* const e = find(parsed.id);
  if (e) e->seen = list_sent_;
  switch (e ? e->is : entry::state::waiting) {
  case entry::state::waiting:
  case entry::state::trying:
  case entry::state::probing:
    step.actions.push_back({.what = kind::remove_stray, .name = std::string(name)});
    return;
  case entry::state::unsure:
    e->number = parsed.number;
    refuse_beyond_last(step, *e);
    if (e->abandoned) {
      --unheld_;
      remove(step, *e);
    } else {
      enter_line(step, *e, entry::state::inspecting);
      step.actions.push_back(
          {.what = kind::inspect, .wants = e->wants, .entry = e->id, .number = e->number});
    }
    return;
  case entry::state::removing:
    if (recovered) remove(step, *e);
    return;
  case entry::state::creating:
  case entry::state::inspecting:
  case entry::state::queued:
  case entry::state::held:
    return;
  }
}

// Who is not in the list although he was created before it was asked for has no node any more,
// or never had one.
void queue::settle_unseen(step step, bool recovered) {
  std::vector<entry_id> unseen;
  for (const auto& [number, e] : own_)
    if (e->sent < list_sent_ && e->seen != list_sent_) unseen.push_back(e->id);
  if (recovered)
    for (const auto& [id, e] : entries_)
      if ((e.is == entry::state::unsure || e.is == entry::state::removing) && e.seen != list_sent_)
        unseen.push_back(id);

  for (const auto id : unseen) {
    entry& e = *find(id);
    const auto is = e.is;
    if (is == entry::state::removing) {
      forget(step, e);
    } else if (is == entry::state::unsure) {
      --unheld_;
      wait_again(step, e);
    } else {
      lose_node(step, e);
    }
  }
}

} // namespace zklock::queue
