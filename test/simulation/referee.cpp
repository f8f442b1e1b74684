#include "referee.hpp"

#include <algorithm>

namespace simulation {

using zklock::queue::predecessors;

referee::referee(lock_policy policy, const ensemble& truth)
    : policy_(policy), ensemble_(truth), locks_(truth.truth().directories()) {}

void referee::begin(node_id id, std::uint32_t turn, const still_stands& stands) {
  const node& holder = ensemble_.at(id);
  record& lock = locks_[holder.directory];
  if (!ensemble_.truth().contains(id)) {
    // A holder whose node was deleted by hand notices that at its next check only.
    if (holder.deleted_by_hand) return;
    fail(holder.name, " holds and does not exist");
  }
  check_before(holder, before(holder, stands));
  check_holders(lock, holder, id);
  check_token(lock, holder, turn);
  auto& newest = lock.tokens[static_cast<std::size_t>(holder.wants)];
  newest = std::max(newest, token(holder.token, turn));
  lock.holders.push_back(id);
}

void referee::resume(node_id id, const still_stands& stands) {
  const node& holder = ensemble_.at(id);
  record& lock = locks_[holder.directory];
  check_before(holder, before(holder, stands, false));
  check_holders(lock, holder, id);
  lock.holders.push_back(id);
}

// A holder whose permits were deleted, or whose session is over, has the remaining permits.
void referee::begin_permits(const std::vector<node_id>& permits, std::uint32_t limit) {
  const node& first = ensemble_.at(permits.front());
  record& lock = locks_[first.directory];
  lock.holders.insert(lock.holders.end(), permits.begin(), permits.end());
  std::erase_if(lock.holders, [this](node_id one) { return !ensemble_.truth().contains(one); });
  if (lock.holders.size() > limit)
    fail(lock.holders.size(), " permits of directory ", first.directory, " are out");
  auto& newest = lock.tokens[0];
  for (const auto one : permits)
    if (!ensemble_.truth().contains(one) && !ensemble_.at(one).deleted_by_hand)
      fail(ensemble_.at(one).name, " is held and does not exist");
  if (limit == 1 && ensemble_.truth().contains(permits.front())) check_token(lock, first, 0);
  newest = std::max(newest, token(first.token, 0));
}

void referee::end(node_id id) {
  const node& holder = ensemble_.at(id);
  if (holder.wants == role::shared) {
    auto& newest = locks_[holder.directory].done[holder.owner];
    newest = std::max(newest, holder.token);
  }
  // Permits that were taken together go together.
  const auto heir = ensemble_.at(id).replaced_by;
  const auto czxid = ensemble_.at(id).czxid;
  for (auto& lock : locks_)
    std::erase_if(lock.holders, [=, this](node_id one) {
      return ensemble_.at(one).czxid == czxid || one == heir;
    });
}

// Order: the entry with the lower number holds first, unless its acquisition gave up. Within a
// session, an entry may hold while the entry before it is still being deleted; of all further
// sessions the existing nodes count.
predecessors referee::before(const node& holder, const still_stands& stands,
                             bool with_litter) const {
  predecessors before;
  for (const auto other : ensemble_.truth().at(holder.directory).children) {
    const node& earlier = ensemble_.at(other);
    if (!earlier.is_entry || earlier.number >= holder.number) continue;
    // The servers insert no entry before an existing entry.
    if (earlier.is_litter && (!with_litter || earlier.token > holder.token)) continue;
    if (earlier.owner == holder.owner && !stands(earlier.entry)) continue;
    before.add(policy_.seen_as(earlier.wants));
  }
  return before;
}

void referee::check_before(const node& holder, const predecessors& others) const {
  if (!policy_.may_hold(others, holder.wants))
    fail(holder.name, " holds although ", others.entries, " are before it");
}

void referee::check_holders(record& lock, const node& holder, node_id id) const {
  for (auto& one : lock.holders)
    one = ensemble_.heir_of(one);
  std::erase_if(lock.holders, [this](node_id other) { return !ensemble_.truth().contains(other); });
  std::vector<node_id> all = lock.holders;
  all.push_back(id);
  std::sort(all.begin(), all.end(), [this](node_id a, node_id b) {
    return ensemble_.at(a).number < ensemble_.at(b).number;
  });
  predecessors before;
  for (const auto one : all) {
    const role wants = policy_.seen_as(ensemble_.at(one).wants);
    if (!policy_.may_hold(before, wants))
      fail(ensemble_.at(one).name, " and ", holder.name, " hold at the same time");
    before.add(wants);
  }
}

// Tokens are numbers of transactions: they rise over sessions and over directories that were
// created again, and within a directory they are in the order of the sequence numbers. A hand-over
// keeps the number, and counts the turns.
void referee::check_token(const record& lock, const node& holder, std::uint32_t turn) const {
  for (const auto later : {role::exclusive, role::shared})
    if (policy_.conflicts(holder.wants, later) &&
        lock.tokens[static_cast<std::size_t>(later)] >= token(holder.token, turn))
      fail("the token of ", holder.name, " is no newer than those before");
  // Readers of several clients are granted in any order, and so are readers by cached entries; all
  // other readers of a client are granted in the order of the line.
  const auto done = lock.done.find(holder.owner);
  if (holder.wants == role::shared && turn == 0 && done != lock.done.end() &&
      holder.token < done->second)
    fail("the token of ", holder.name, " is older than that of a reader that is done");
}

} // namespace simulation
