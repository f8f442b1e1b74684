#include "chaos/complaints.hpp"
#include "chaos/timelines.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace chaos {
namespace {

std::string text_of(const claim& one) {
  return one.process + ", operation " + std::to_string(one.number) + ", token " +
         one.token.to_string() + ", " + std::to_string(one.when.begin) + " to " +
         std::to_string(one.when.end);
}

// Returns the common part of a hold's znodes. Its permits differ in their numbers, and a
// writer that becomes a reader gets another label: both stand behind the UUID of the entry.
std::string_view common_part(std::string_view node) {
  constexpr std::string_view prefix = "/_c_";
  constexpr std::size_t uuid_length = 36;
  const auto begin = node.rfind(prefix);
  return begin == node.npos ? node : node.substr(0, begin + prefix.size() + uuid_length);
}

// Returns when the first znode of a hold was deleted by hand.
nanoseconds first_deleted(const std::string& node, const hand_made_losses& by_hand) {
  const auto common = common_part(node);
  nanoseconds first = never;
  for (auto each = by_hand.deleted.lower_bound(common);
       each != by_hand.deleted.end() && each->first.starts_with(common); ++each)
    first = std::min(first, each->second);
  return first;
}

// Whether a hold lasts until its body has ended. A body may end late if its process is paused, or
// its loop blocked. So may a body that begins right after a pause: other handlers may run before it
// is cancelled.
bool lasts_until_end(const operation& one, const std::string& process, const evidence& all) {
  constexpr nanoseconds after_pause = 1'000'000'000;
  const span time{one.granted - after_pause, one.release_begun};
  return one.is_of_body && one.release_begun != never && paused_in(all, process, time) == 0 &&
         (one.is_elsewhere || blocked_in(all, process, time) == 0);
}

// Returns when a hold was over at the latest, as its process could know.
nanoseconds end_of(const operation& one, const std::string& process, const evidence& all) {
  const auto& by_hand = all.by_hand;
  nanoseconds end = std::min({one.release_begun, one.limit_end, first_deleted(one.node, by_hand)});
  if (!lasts_until_end(one, process, all)) {
    end = std::min(end, one.lost);
    if (one.certain_until) end = std::min(end, *one.certain_until);
  }
  if (const auto found = by_hand.expired.find(one.session); found != by_hand.expired.end())
    end = std::min(end, found->second);
  return end;
}

// From when on a hold from before a restore excludes holds again: its client is connected to the
// restored servers for longer than a session lives, and has found its entry there.
nanoseconds excludes_again(const operation& one, const timelines& lives) {
  constexpr nanoseconds allowance = 8'000'000'000;
  const auto arrival = lives.next_arrival(one.granted);
  return arrival == never ? never : arrival + allowance;
}

using by_lock = std::map<std::string, std::vector<const claim*>>;

by_lock sort_by_lock(const std::vector<claim>& claims) {
  by_lock sorted;
  for (const auto& one : claims)
    sorted[one.lock].push_back(&one);
  return sorted;
}

void check_permits(const std::vector<const claim*>& claims, std::int64_t limit,
                   complaints& complain) {
  std::multimap<nanoseconds, const claim*> held;
  std::int64_t sum = 0;
  for (const auto* one : claims) {
    while (!held.empty() && held.begin()->first <= one->when.begin) {
      sum -= held.begin()->second->count;
      held.erase(held.begin());
    }
    sum += one->count;
    held.emplace(one->when.end, one);
    if (sum <= limit) continue;
    std::string text = one->lock + ": " + std::to_string(sum) + " at " + text_of(*one);
    for (const auto& [end, each] : held)
      if (each != one) text += "; " + std::to_string(each->count) + " of " + text_of(*each);
    complain("too many permits", text);
  }
}

} // namespace

std::vector<claim> claims_of(const evidence& all, verdict& found, bool uncertain) {
  std::vector<claim> claims;
  for (const auto& one : all.histories) {
    const timelines lives(all.restores, one);
    for (const auto& [number, each] : one.operations) {
      if (each.granted == never) continue;
      if (is_lost_by_servers(all, each.token.transaction())) {
        ++found.lost_by_servers;
        continue;
      }
      const auto last = end_of(each, one.process, all);
      const span whole{each.granted, std::min(last, lives.end_after(each.granted))};
      if (!each.certain_until) {
        ++found.without_claim;
        // Without an end: the process was killed.
        if (!uncertain || whole.end == never) continue;
      }
      const auto add = [&](mode kind, nanoseconds begin, nanoseconds end) {
        if (begin < end)
          claims.push_back({each.lock,
                            kind,
                            each.count,
                            {begin, end},
                            each.asked,
                            each.token,
                            one.process,
                            number,
                            lives.at(each.granted)});
      };
      add(each.kind, whole.begin, std::min(whole.end, each.downgrade_begun));
      if (each.downgraded != never) add(mode::shared, each.downgraded, whole.end);
      add(each.downgraded == never ? each.kind : mode::shared, excludes_again(each, lives), last);
    }
  }
  std::sort(claims.begin(), claims.end(),
            [](const auto& a, const auto& b) { return a.when.begin < b.when.begin; });
  return claims;
}

void check_overlaps(const std::vector<claim>& claims, std::int64_t permit_limit,
                    complaints& complain) {
  for (const auto& [lock, list] : sort_by_lock(claims)) {
    if (list.front()->kind == mode::permits) {
      check_permits(list, permit_limit, complain);
      continue;
    }
    // The earlier holds that end last.
    const claim* writer = nullptr;
    const claim* reader = nullptr;
    for (const auto* one : list) {
      const auto overlaps = [&](const claim* other) {
        return other && one->when.begin < other->when.end;
      };
      const claim* other = overlaps(writer)                                   ? writer
                           : one->kind == mode::exclusive && overlaps(reader) ? reader
                                                                              : nullptr;
      if (other) complain("two holders", lock + ": " + text_of(*other) + "; " + text_of(*one));
      auto& latest = one->kind == mode::exclusive ? writer : reader;
      if (!latest || latest->when.end < one->when.end) latest = one;
    }
  }
}

void check_tokens(const std::vector<claim>& claims, complaints& complain) {
  const auto falls = [&](const claim* before, const claim* one) {
    const bool same = before && before->process == one->process && before->number == one->number;
    if (before && !same && one->token <= before->token)
      complain("a token falls", one->lock + ": " + text_of(*before) + "; " + text_of(*one));
  };
  std::map<std::pair<std::string, std::size_t>, std::vector<const claim*>> sorted;
  for (const auto& one : claims)
    sorted[{one.lock, one.timeline}].push_back(&one);
  for (const auto& [key, list] : sorted) {
    const claim* highest = nullptr;
    const claim* highest_writer = nullptr;
    for (const auto* one : list) {
      if (one->kind == mode::exclusive) falls(highest, one);
      if (one->kind == mode::shared) falls(highest_writer, one);
      if (!highest || one->token > highest->token) highest = one;
      if (one->kind == mode::exclusive && (!highest_writer || one->token > highest_writer->token))
        highest_writer = one;
    }
    // Also between holds that may overlap: against holds that were over before `one` was asked for.
    auto by_end = list;
    std::sort(by_end.begin(), by_end.end(),
              [](const auto* a, const auto* b) { return a->when.end < b->when.end; });
    auto by_asking = list;
    std::sort(by_asking.begin(), by_asking.end(),
              [](const auto* a, const auto* b) { return a->asked < b->asked; });
    highest = nullptr;
    auto next = by_end.begin();
    for (const auto* one : by_asking) {
      for (; next != by_end.end() && (*next)->when.end < one->asked; ++next)
        if (!highest || (*next)->token > highest->token) highest = *next;
      // A cached entry is older than the acquire of its reader. Writers are checked above.
      const bool is_kept = one->kind == mode::shared && one->token.turn() != 0;
      if (one->kind != mode::exclusive && !is_kept) falls(highest, one);
    }
  }
}

} // namespace chaos
