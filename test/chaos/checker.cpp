#include "chaos/checker.hpp"

#include "chaos/complaints.hpp"
#include "chaos/timelines.hpp"

#include <algorithm>
#include <iterator>

namespace chaos {
namespace {

void check_fenced(const evidence& all, complaints& complain, verdict& found) {
  for (const auto& one : all.histories)
    for (const auto& added : one.fenced) {
      ++found.added_fenced;
      const auto set = all.fenced_sets.find(added.set);
      if (set == all.fenced_sets.end() || !set->second.contains(added.element))
        complain("fenced data lost", added.element + " of " + added.set + ", acknowledged to " +
                                         one.process + ", is not there");
    }
}

void count_unfenced(const evidence& all, verdict& found) {
  for (const auto& one : all.histories) {
    for (const auto& added : one.unfenced) {
      ++found.added_unfenced;
      const auto set = all.unfenced_sets.find(added.set);
      if (set == all.unfenced_sets.end() || !set->second.contains(added.element))
        ++found.lost_unfenced;
    }
    found.refused += one.refused;
    found.checked.counted += one.counted.size();
    found.unchecked.counted += one.counted_unchecked.size();
  }
  found.checked.lost = static_cast<std::int64_t>(found.checked.counted);
  found.unchecked.lost = static_cast<std::int64_t>(found.unchecked.counted);
  for (const auto& [file, last] : all.counters)
    (file.starts_with("checked") ? found.checked : found.unchecked).lost -=
        static_cast<std::int64_t>(last);
}

// Returns whether a commit is gone with the data behind which the servers were set back.
bool is_set_back(const evidence& all, const timelines& lives, const commit& one) {
  for (auto i = lives.at(one.time); i < all.restores.size(); ++i)
    if (all.restores[i].kept_until <= one.time) return true;
  return false;
}

bool is_commit_lost(const evidence& all, const std::string& path) {
  return all.logged &&
         !std::binary_search(all.logged->commits.begin(), all.logged->commits.end(), path);
}

void check_commits(const evidence& all, complaints& complain, verdict& found) {
  std::set<std::string> there;
  for (const auto& node : all.commits)
    there.insert(node.path);
  for (const auto& one : all.histories) {
    const timelines lives(all.restores, one);
    found.committed += one.committed.size();
    for (const auto& each : one.committed) {
      if (there.contains(each.path) || is_set_back(all, lives, each)) continue;
      if (is_commit_lost(all, each.path))
        ++found.lost_by_servers;
      else
        complain("commit lost", each.path + ", acknowledged to " + one.process);
    }
    for (const auto& path : one.not_committed)
      if (there.contains(path)) complain("failed commit is there", path + " of " + one.process);
  }
  auto ordered = all.commits;
  std::sort(ordered.begin(), ordered.end(),
            [](const auto& a, const auto& b) { return a.czxid < b.czxid; });
  std::map<std::string, const committed_node*> highest;
  for (const auto& node : ordered) {
    auto& before = highest[node.lock];
    if (before && node.token < before->token)
      complain("commit of an earlier hold", node.path + " was carried out after " + before->path);
    else
      before = &node;
  }
}

void check_ends(const evidence& all, complaints& complain) {
  for (const auto& one : all.histories) {
    for (const auto& line : one.bad_lines)
      complain("bad line", one.process + ": " + line);
    if (one.killed) continue;
    for (const auto& [number, each] : one.operations) {
      const auto name = one.process + ", operation " + std::to_string(number) + " on " + each.lock;
      if (each.granted == never && each.failed == never) complain("a waiter does not end", name);
      if (each.release_begun != never && each.released == never)
        complain("a release does not end", name);
      if (each.granted != never && each.release_begun == never && each.lost == never)
        complain("a hold does not end", name);
    }
  }
}

void check_deadlines(const evidence& all, complaints& complain, verdict& found) {
  // A loaded machine may run a process late by a second or two. A waiter that waits for a server, a
  // network or a session instead of its deadline is later: each wait may take 7 s and more.
  constexpr nanoseconds allowance = 5'000'000'000;
  for (const auto& one : all.histories)
    for (const auto& [number, each] : one.operations) {
      const auto ended = std::min(each.granted, each.failed);
      // A try has no deadline: it waits for the reply of a server.
      if (each.timeout_ms <= 0 || ended == never) continue;
      const span whole{each.asked, ended};
      const auto late = ended - each.asked - each.timeout_ms * 1'000'000 -
                        paused_in(all, one.process, whole) - blocked_in(all, one.process, whole);
      found.latest_after_deadline = std::max(found.latest_after_deadline, late);
      if (late > allowance)
        complain("an acquire ends late", one.process + ", operation " + std::to_string(number) +
                                             " on " + each.lock + ", by " +
                                             std::to_string(late / 1'000'000) + " ms");
    }
}

nanoseconds sum_in(const std::map<std::string, std::vector<span>>& spans,
                   const std::string& process, const span& time) {
  nanoseconds sum = 0;
  if (const auto found = spans.find(process); found != spans.end())
    for (const auto& each : found->second)
      sum +=
          std::max<nanoseconds>(std::min(each.end, time.end) - std::max(each.begin, time.begin), 0);
  return sum;
}

} // namespace

nanoseconds paused_in(const evidence& all, const std::string& process, const span& time) {
  return sum_in(all.paused, process, time);
}

nanoseconds blocked_in(const evidence& all, const std::string& process, const span& time) {
  return sum_in(all.blocked, process, time);
}

bool is_lost_by_servers(const evidence& all, std::int64_t zxid) {
  return all.logged &&
         !std::binary_search(all.logged->zxids.begin(), all.logged->zxids.end(), zxid);
}

verdict check(const evidence& all) {
  verdict found;
  complaints complain(found);
  const auto claims = claims_of(all, found);
  found.claims = claims.size();
  check_overlaps(claims, all.permit_limit, complain);
  check_tokens(claims, complain);
  check_ends(all, complain);
  check_deadlines(all, complain, found);
  check_fenced(all, complain, found);
  check_commits(all, complain, found);
  check_told(all, complain, found);
  check_connections(all, complain, found);
  check_authentication(all, complain);
  count_unfenced(all, found);
  return found;
}

} // namespace chaos
