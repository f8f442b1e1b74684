#include "queue/waiters.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace zklock::queue {

namespace {

constexpr role other_than(role wants) noexcept {
  return wants == role::exclusive ? role::shared : role::exclusive;
}

} // namespace

waiters::waiters(std::pmr::memory_resource* memory)
    : waiting_(memory),
      roles_{same_role(memory), same_role(memory)},
      attempts_(memory),
      assigned_(memory) {}

void waiters::count_waiting(acquisition_id id, lock_mode asked, int change) {
  const auto more = static_cast<std::size_t>(change);
  waiting_for_[static_cast<std::size_t>(asked.wants)] += more;
  if (!asked.has_room) return;
  brought_nodes_ += more * asked.permits;
  if (change > 0)
    brought_.insert(id);
  else
    brought_.erase(id);
}

waiters::by_id::node_type waiters::take_waiting(by_id::iterator which) noexcept {
  if (which == waiting_.end()) return {};
  count_waiting(which->first, which->second, -1);
  return waiting_.extract(which);
}

void waiters::put_waiting(by_id::node_type which) {
  count_waiting(which.key(), which.mapped(), 1);
  waiting_.insert(std::move(which));
}

void waiters::match() {
  while (!waiting_.empty()) {
    same_role& all = of(waiting_.begin()->second.wants);
    if (all.unneeded() == 0) return;
    all.in_line.insert(all.in_line.end(), take_waiting(waiting_.begin()));
    all.kept = std::min(all.kept, all.unneeded());
  }
}

// It is mostly the last of those in line.
void waiters::enter_line(acquisition_id id) {
  const auto entering = waiting_.find(id);
  same_role& all = of(entering->second.wants);
  ++all.entries;
  all.in_line.insert(all.in_line.end(), take_waiting(entering));
}

std::optional<waiters::rank_in_line> waiters::find_in_line(acquisition_id id) const noexcept {
  for (const auto wants : {role::exclusive, role::shared}) {
    const auto& in_line = of(wants).in_line;
    const auto found = in_line.find(id);
    if (found != in_line.end()) return rank_in_line{wants, std::distance(in_line.begin(), found)};
  }
  return std::nullopt;
}

std::optional<waiters::rank_in_line> waiters::leave_line(acquisition_id id) {
  const auto found = find_in_line(id);
  if (found) of(found->wants).in_line.erase(id);
  return found;
}

std::optional<std::uint32_t> waiters::first_in_line(role wants) const noexcept {
  const auto& in_line = of(wants).in_line;
  if (in_line.empty()) return std::nullopt;
  return in_line.begin()->second.permits;
}

bool waiters::is_needed(role wants) const noexcept {
  return of(wants).unneeded() <= of(wants).kept;
}

void waiters::remove_entry(role wants) {
  same_role& all = of(wants);
  --all.entries;
  if (all.in_line.size() > all.entries) {
    const auto last = std::prev(all.in_line.end());
    put_waiting(all.in_line.extract(last));
  }
  all.kept = std::min(all.kept, all.unneeded());
}

std::size_t waiters::count_in_line() const noexcept {
  std::size_t permits = 0;
  for (const auto& all : roles_)
    for (const auto& [id, asked] : all.in_line)
      permits += asked.permits;
  return permits;
}

void waiters::wait_again(role wants) {
  same_role& all = of(wants);
  put_waiting(all.in_line.extract(all.in_line.begin()));
  remove_entry(wants);
}

std::optional<acquisition_id> waiters::refuse_entry(role wants, acquisition_id newest) {
  std::optional<acquisition_id> refused;
  same_role& all = of(wants);
  if (all.unneeded() == 0)
    if (const auto it = all.in_line.upper_bound(newest); it != all.in_line.begin()) {
      refused = std::prev(it)->first;
      all.in_line.erase(std::prev(it));
    }
  remove_entry(wants);
  return refused;
}

std::size_t waiters::entries_in_line() const noexcept {
  return roles_[0].entries + roles_[1].entries + trying_in_line_ + abandoned_;
}

entry* waiters::find_assigned(acquisition_id id) const noexcept {
  const auto found = assigned_.find(id);
  return found == assigned_.end() ? nullptr : found->second.to;
}

std::uint32_t waiters::permits_of_try(acquisition_id id) const noexcept {
  return assigned_.find(id)->second.asked.permits;
}

void waiters::add_assignment(acquisition_id id, assignment made) {
  if (!spare_) {
    assigned_.emplace(id, made);
    return;
  }
  spare_.key() = id;
  spare_.mapped() = made;
  assigned_.insert(std::move(spare_));
}

void waiters::assign(entry& e) {
  same_role& all = of(e.wants);
  const auto first = all.in_line.begin();
  e.acquisition = first->first;
  add_assignment(e.acquisition, {&e, first->second, false});
  all.in_line.erase(first);
  --all.entries;
}

void waiters::assign_kept(entry& e, acquisition_id id) {
  same_role& all = of(e.wants);
  e.acquisition = id;
  add_assignment(id, {&e, {.wants = e.wants}, false});
  newest_ = std::max(newest_, id);
  --all.entries;
  all.kept = std::min(all.kept, all.unneeded());
}

void waiters::stop_waiting(acquisition_id id) {
  if (!leave_line(id)) withdraw(id);
}

void waiters::assign_attempt(acquisition_id id, entry& e) {
  e.acquisition = id;
  add_assignment(id, {&e, attempts_.take(id), true});
  ++trying_in_line_;
}

void waiters::stop_trying(acquisition_id id) noexcept {
  assignment& one = assigned_.find(id)->second;
  trying_in_line_ -= one.is_try;
  one.is_try = false;
}

void waiters::unassign(acquisition_id id) noexcept {
  const auto found = assigned_.find(id);
  trying_in_line_ -= found->second.is_try;
  spare_ = assigned_.extract(found);
}

void waiters::requeue(acquisition_id id) {
  const assignment was = assigned_.find(id)->second;
  unassign(id);
  if (was.is_try) return add_attempt(id, was.asked);
  wait(id, was.asked);
  displace_later(was.asked.wants);
}

// Those that came earlier may have lost their entries meanwhile. The first of them takes this one,
// and its acquisition that of the last in line.
void waiters::requeue_with_entry(entry& e) {
  const acquisition_id id = e.acquisition;
  const assignment was = assigned_.find(id)->second;
  if (was.is_try) return;
  unassign(id);
  wait(id, was.asked);
  e.acquisition = 0;
  ++of(was.asked.wants).entries;
  match();
  displace_later(was.asked.wants);
}

// Those that wait may have waited for longer than the last in line: where room is scarce, an
// acquisition that has brought its room was put in line before them.
void waiters::displace_later(role wants) {
  auto& in_line = of(wants).in_line;
  auto first = waiting_.begin();
  const auto wants_same = [wants](const auto& each) { return each.second.wants == wants; };
  while (!in_line.empty()) {
    first = std::find_if(first, waiting_.end(), wants_same);
    if (first == waiting_.end() || in_line.rbegin()->first < first->first) return;
    put_waiting(in_line.extract(std::prev(in_line.end())));
    in_line.insert(take_waiting(first++));
  }
}

bool waiters::is_next(role wants) const noexcept {
  if (!of(other_than(wants)).in_line.empty()) return false;
  return !of(wants).in_line.empty() ||
         (!waiting_.empty() && waiting_.begin()->second.wants == wants);
}

void waiters::hand_over(role wants) noexcept {
  same_role& all = of(wants);
  ++all.entries;
  ++all.kept;
}

void waiters::end_hand_overs(role wants) noexcept {
  of(wants).kept = 0;
}

// No acquisition waits: nothing that is in line for hand-overs is needed any more. Readers are not
// handed over.
void waiters::keep(role wants) noexcept {
  if (wants == role::exclusive) end_hand_overs(wants);
  hand_over(wants);
}

std::vector<acquisition_id> waiters::withdraw_until(acquisition_id newest) {
  std::vector<acquisition_id> all;
  const auto withdraw_from = [&](auto& some) {
    const auto end = some.upper_bound(newest);
    for (auto it = some.begin(); it != end; ++it)
      all.push_back(it->first);
    some.erase(some.begin(), end);
  };
  for (auto& each : roles_) {
    withdraw_from(each.in_line);
    each.kept = 0;
  }
  withdraw_from(waiting_);
  waiting_for_ = {};
  brought_.clear();
  brought_nodes_ = 0;
  for (const auto& [id, asked] : waiting_)
    count_waiting(id, asked, 1);
  attempts_.withdraw_until(newest, all);
  return all;
}

std::size_t waiters::count_after(acquisition_id newest) const noexcept {
  const auto count = [newest](const auto& some) {
    return static_cast<std::size_t>(std::distance(some.upper_bound(newest), some.end()));
  };
  return count(waiting_) + attempts_.count_after(newest) + count(roles_[0].in_line) +
         count(roles_[1].in_line);
}

std::vector<acquisition_id> waiters::withdraw_above(std::uint32_t most) {
  std::vector<acquisition_id> above;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const auto one = it++;
    if (one->second.permits > most) above.push_back(take_waiting(one).key());
  }
  attempts_.withdraw_above(most, above);
  return above;
}

std::vector<acquisition_id> waiters::in_line_above(std::uint32_t most) const {
  std::vector<acquisition_id> above;
  for (const auto& all : roles_)
    for (const auto& [id, asked] : all.in_line)
      if (asked.permits > most) above.push_back(id);
  return above;
}

bool waiters::is_any_wanting(role wants) const noexcept {
  return !of(wants).in_line.empty() || waiting_for_[static_cast<std::size_t>(wants)] != 0 ||
         attempts_.is_any_wanting(wants);
}

bool waiters::is_waiting(acquisition_id id) const noexcept {
  return waiting_.contains(id) || roles_[0].in_line.contains(id) || roles_[1].in_line.contains(id);
}

std::optional<std::size_t> waiters::waiting_before(acquisition_id id) const noexcept {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  return static_cast<std::size_t>(std::distance(waiting_.begin(), found));
}

} // namespace zklock::queue
