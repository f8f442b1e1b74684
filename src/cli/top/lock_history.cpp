#include "cli/top/lock_history.hpp"

#include "cli/lock_text.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace zklock::cli {

namespace {

// A session that holds and waits: two tasks of a program, or a task that waits for itself.
bool waits_for_itself(const found_lock& lock) {
  std::set<std::int64_t> holders;
  for (const auto& each : lock.participants)
    if (each.is_holder && each.session_id != 0) holders.insert(each.session_id);
  return std::ranges::any_of(lock.participants, [&](const participant& each) {
    return !each.is_holder && holders.contains(each.session_id);
  });
}

std::optional<std::chrono::nanoseconds> longest_wait_of(const found_lock& lock,
                                                        std::chrono::system_clock::time_point now) {
  std::optional<std::chrono::nanoseconds> longest;
  for (const auto& each : lock.participants)
    if (!each.is_holder && each.token.transaction() != 0)
      longest = std::max<std::chrono::nanoseconds>(
          longest.value_or(std::chrono::nanoseconds::zero()), now - each.queued_since);
  return longest;
}

} // namespace

std::vector<lock_row> lock_history::add(std::vector<found_lock> locks, const moment& now) {
  std::vector<lock_row> rows;
  std::map<key, record> still_there;
  for (auto& each : locks) {
    const key name{each.path, each.type == lock_type::semaphore};
    auto found = records_.extract(name);
    if (found.empty()) {
      if (each.participants.empty() && !each.error) continue;
      auto& made = still_there[name];
      // It had no holder that was seen at the last look.
      if (last_look_) made.samples.push_back({*last_look_, 0});
    } else {
      still_there.insert(std::move(found));
    }
    rows.push_back(add_one(still_there[name], std::move(each), now));
  }
  records_ = std::move(still_there);
  last_look_ = now.steady;
  return rows;
}

lock_row lock_history::add_one(record& known, found_lock lock, const moment& now) const {
  if (lock.type == lock_type::unknown) lock.type = known.type;
  known.type = lock.type;
  const auto added = count_new_holders(known, lock);
  if (last_look_) known.handovers += added;
  observe_holders(known, lock, now);
  auto& samples = known.samples;
  samples.push_back({now.steady, known.handovers});
  while (samples.size() > 2 && samples[1].time <= now.steady - window)
    samples.pop_front();

  lock_row row;
  row.holders = count_holders(lock);
  row.waiters = lock.participants.size() - row.holders;
  row.longest_wait = longest_wait_of(lock, now.wall);
  const std::chrono::duration<double> time = now.steady - samples.front().time;
  if (time.count() > 0)
    row.handovers = static_cast<double>(known.handovers - samples.front().handovers) / time.count();
  for (std::size_t i = 0; i < lock.participants.size(); ++i) {
    const auto& each = lock.participants[i];
    if (!each.is_holder) continue;
    const auto& seen = known.holders.at(each.node);
    const auto age = now.steady - seen.since;
    if (row.holder && age <= row.held.age) continue;
    row.holder = i;
    row.held = {.age = age, .older = seen.older};
  }
  row.marks = marks_of(lock);
  if (row.waiters != 0 && is_stuck(known, now)) row.marks.emplace_back("stuck");
  if (waits_for_itself(lock)) row.marks.emplace_back("self");
  row.lock = std::move(lock);
  return row;
}

std::int64_t lock_history::count_new_holders(record& known, const found_lock& lock) const {
  // Permits that were taken together are a single hand-over. A participant that may not be read has
  // no transaction.
  std::set<std::tuple<std::int64_t, std::int64_t, std::string>> added;
  for (const auto& each : lock.participants) {
    if (!each.is_holder || known.holders.contains(each.node)) continue;
    const auto transaction = each.token.transaction();
    added.emplace(each.session_id, transaction, transaction == 0 ? each.node : "");
  }
  if (lock.type != lock_type::mutex) return static_cast<std::int64_t>(added.size());
  const auto holder = std::ranges::find_if(lock.participants, &participant::is_holder);
  if (holder == lock.participants.end()) return 0;
  const bool first = known.last_node.empty();
  const bool changed = holder->node != known.last_node;
  // Where it is lower, the directory was deleted and made again.
  const auto passed = holder->number - known.last_number;
  known.last_node = holder->node;
  known.last_number = holder->number;
  if (!changed) return 0;
  return first || passed < 1 ? 1 : passed;
}

void lock_history::observe_holders(record& known, const found_lock& lock, const moment& now) const {
  std::map<std::string, hold> holders;
  for (const auto& each : lock.participants) {
    if (!each.is_holder) continue;
    const auto found = known.holders.find(each.node);
    const hold made{.since = now.steady, .older = !last_look_};
    holders.emplace(each.node, found == known.holders.end() ? made : found->second);
  }
  known.holders = std::move(holders);
}

bool lock_history::is_stuck(const record& known, const moment& now) const {
  return !known.holders.empty() && std::ranges::all_of(known.holders, [&](const auto& each) {
    return now.steady - each.second.since >= stuck_after_;
  });
}

} // namespace zklock::cli
