#include "cli/deadlocks/wait_graph.hpp"

#include "cli/nested_identity.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace zklock::cli {

namespace {

std::string key_of(const participant& one, client_key key) {
  const bool named = key == client_key::identity && !one.identity.empty();
  return named ? one.identity : "session " + session_text(one.session_id);
}

} // namespace

wait_graph::wait_graph(const std::vector<found_lock>& locks, client_key key) {
  std::map<std::int64_t, std::string> by_session;
  for (const auto& lock : locks)
    for (const auto& each : lock.participants)
      by_session.emplace(each.session_id, key_of(each, key));
  for (const auto& lock : locks) {
    std::map<std::string, std::string> holders;
    for (const auto& each : lock.participants)
      if (each.is_holder) holders.emplace(each.node, key_of(each, key));
    for (const auto& each : lock.participants) {
      if (each.is_holder) continue;
      const wait all{.path = lock.path,
                     .node = each.node,
                     .for_any = lock.type == lock_type::semaphore,
                     .holders = holders};
      const auto waiter = key_of(each, key);
      auto others = all;
      // A client that holds and waits has several coroutines as a rule: the holder goes on.
      std::erase_if(others.holders, [&](const auto& holder) { return holder.second == waiter; });
      waits_.emplace(waiter, std::move(others));
      // An outer run does not go on before the inner run has ended, not even for a lock of its own.
      for (const auto session : outer_sessions_of(each.identity))
        if (const auto outer = by_session.find(session); outer != by_session.end())
          waits_.emplace(outer->second, all);
    }
  }
}

void wait_graph::keep_common(const wait_graph& earlier) {
  std::map<std::pair<std::string, std::string>, const wait*> before;
  for (const auto& [client, each] : earlier.waits_)
    before.emplace(std::pair(client, each.node), &each);
  for (auto it = waits_.begin(); it != waits_.end();) {
    auto& now = it->second;
    const auto found = before.find({it->first, now.node});
    bool same = found != before.end();
    if (same) {
      const auto changed = std::erase_if(now.holders, [&](const auto& holder) {
        return !found->second->holders.contains(holder.first);
      });
      same = changed == 0 || !now.for_any;
    }
    it = same ? std::next(it) : waits_.erase(it);
  }
}

// Removes the clients that can go on, until only clients are left that wait for each other, or for
// clients that do.
wait_graph::stuck_clients wait_graph::find_stuck() const {
  stuck_clients stuck;
  for (const auto& [client, each] : waits_)
    stuck.insert(client);
  const auto is_stuck = [&](const auto& holder) { return stuck.contains(holder.second); };
  const auto can_end = [&](const wait& each) {
    if (each.holders.empty()) return true;
    return each.for_any ? !std::all_of(each.holders.begin(), each.holders.end(), is_stuck)
                        : std::none_of(each.holders.begin(), each.holders.end(), is_stuck);
  };
  const auto can_go_on = [&](const std::string& client) {
    const auto [begin, end] = waits_.equal_range(client);
    return std::all_of(begin, end, [&](const auto& each) { return can_end(each.second); });
  };
  while (std::erase_if(stuck, can_go_on) != 0) {}
  return stuck;
}

// Breadth first, so that the first way back is the shortest.
wait_graph::cycle wait_graph::shortest_from(const std::string& client,
                                            const stuck_clients& stuck) const {
  std::map<std::string, link> reached_by;
  std::deque<std::string> to_visit{client};
  while (!to_visit.empty() && !reached_by.contains(client)) {
    const auto visited = to_visit.front();
    to_visit.pop_front();
    const auto [begin, end] = waits_.equal_range(visited);
    for (auto it = begin; it != end; ++it)
      for (const auto& [node, holder] : it->second.holders)
        if (stuck.contains(holder) &&
            reached_by
                .try_emplace(holder, link{visited, it->second.node, it->second.path, holder, node})
                .second)
          to_visit.push_back(holder);
  }
  cycle found;
  if (!reached_by.contains(client)) return found;
  for (auto at = client; found.empty() || at != client; at = found.back().waiter)
    found.push_back(reached_by.at(at));
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<wait_graph::cycle> wait_graph::find_cycles() const {
  const auto stuck = find_stuck();
  std::vector<cycle> all;
  std::set<std::set<std::string>> known;
  for (const auto& client : stuck) {
    auto found = shortest_from(client, stuck);
    std::set<std::string> members;
    for (const auto& each : found)
      members.insert(each.waiter);
    if (!found.empty() && known.insert(std::move(members)).second) all.push_back(std::move(found));
  }
  return all;
}

} // namespace zklock::cli
