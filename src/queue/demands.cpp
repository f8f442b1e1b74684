#include "queue/demands.hpp"

#include <iterator>

namespace zklock::queue {

namespace {

constexpr role other_than(role wants) noexcept {
  return wants == role::exclusive ? role::shared : role::exclusive;
}

} // namespace

void demands::count(same_role& all, groups::iterator which, int change) noexcept {
  const auto more = static_cast<std::size_t>(change);
  group& its = which->second;
  its.count += more;
  all.count += more;
  large_ += its.asked.permits > 1 ? more : 0;
  brought_ += its.asked.has_room ? more : 0;
  named_ += its.asked.identity ? more : 0;
  if (its.count == 0) {
    if (which->first == newest_) is_open_ = false;
    all.by_id.erase(which);
  }
  all.cap_spare();
}

demand_id demands::add(lock_mode asked) {
  same_role& all = of(asked.wants);
  const auto last = all.by_id.empty() ? all.by_id.end() : std::prev(all.by_id.end());
  if (is_open_ && last != all.by_id.end() && last->first == newest_ && last->second.asked == asked)
    count(all, last, 1);
  else
    count(all, all.by_id.emplace_hint(all.by_id.end(), ++newest_, group{.asked = asked}), 1);
  is_open_ = true;
  return newest_;
}

void demands::add_again(const demand& lost) {
  same_role& all = of(lost.asked.wants);
  count(all, all.by_id.emplace(lost.id, group{.asked = lost.asked}).first, 1);
}

std::size_t demands::count_before(const same_role& all, demand_id id, std::size_t enough) noexcept {
  std::size_t before = 0;
  for (auto it = all.by_id.begin(); it != all.by_id.end() && it->first < id && before < enough;
       ++it)
    before += it->second.count;
  return before;
}

// An acquisition is in line if fewer acquisitions come before it than there are entries.
demands::removal demands::remove(demand_id id) noexcept {
  for (const auto wants : {role::exclusive, role::shared}) {
    same_role& all = of(wants);
    const auto found = all.by_id.find(id);
    if (found == all.by_id.end()) continue;
    const auto before = count_before(all, id, all.entries) + found->second.count - 1;
    const bool is_in_line = before < all.entries;
    count(all, found, -1);
    return {.found = true,
            .in_line = is_in_line ? std::optional(rank{wants, before}) : std::nullopt};
  }
  return {};
}

std::optional<demand> demands::first(role wants) const noexcept {
  const same_role& all = of(wants);
  if (all.in_line() == 0) return std::nullopt;
  return demand{all.by_id.begin()->first, all.by_id.begin()->second.asked};
}

demand demands::take_first(role wants) noexcept {
  same_role& all = of(wants);
  const auto it = all.by_id.begin();
  const demand taken{it->first, it->second.asked};
  count(all, it, -1);
  return taken;
}

template <class Function>
void demands::for_first(const same_role& all, std::size_t most, Function function) {
  for (auto it = all.by_id.begin(); most != 0 && it != all.by_id.end(); ++it) {
    const auto some = std::min(most, it->second.count);
    function(it, some);
    most -= some;
  }
}

std::optional<demand_id> demands::take_last(role wants, demand_id newest) noexcept {
  same_role& all = of(wants);
  if (all.unneeded() != 0) return std::nullopt;
  std::optional<demand_id> last;
  for_first(all, all.entries, [&](auto it, std::size_t) {
    if (it->first <= newest) last = it->first;
  });
  if (last) count(all, all.by_id.find(*last), -1);
  return last;
}

std::optional<demand_id> demands::at(rank place) const noexcept {
  std::optional<demand_id> last;
  if (place.before < of(place.wants).count)
    for_first(of(place.wants), place.before + 1, [&](auto it, std::size_t) { last = it->first; });
  return last;
}

bool demands::has_last_brought(role wants) const noexcept {
  const same_role& all = of(wants);
  if (brought_ == 0 || all.unneeded() != 0) return false;
  bool brought = false;
  for_first(all, all.entries, [&](auto it, std::size_t) { brought = it->second.asked.has_room; });
  return brought;
}

template <class Predicate>
std::optional<demand> demands::first_waiting(Predicate wanted) const noexcept {
  std::optional<demand> found;
  for (const auto& all : roles_) {
    auto in_line = all.entries;
    for (const auto& [id, one] : all.by_id) {
      if (found && found->id < id) break;
      if (in_line < one.count && wanted(one.asked)) {
        found = {id, one.asked};
        break;
      }
      in_line -= std::min(in_line, one.count);
    }
  }
  return found;
}

std::optional<demand> demands::next() const noexcept {
  if (!is_any_waiting()) return std::nullopt;
  return first_waiting([](const lock_mode&) { return true; });
}

std::optional<demand> demands::next_brought() const noexcept {
  if (brought_ == 0) return std::nullopt;
  return first_waiting([](const lock_mode& asked) { return asked.has_room; });
}

std::vector<demand_id> demands::take_until(demand_id newest) {
  std::vector<demand_id> taken;
  for (auto& all : roles_) {
    while (!all.by_id.empty() && all.by_id.begin()->first <= newest) {
      taken.push_back(all.by_id.begin()->first);
      count(all, all.by_id.begin(), -1);
    }
    all.spare = 0;
  }
  for (const auto& one : tries_.all()) {
    if (one.id > newest) break;
    taken.push_back(one.id);
    tries_.take(one.id);
  }
  return taken;
}

std::vector<demand_id> demands::above(std::uint32_t most) const {
  std::vector<demand_id> found;
  for (const auto& all : roles_)
    for (const auto& [id, one] : all.by_id)
      if (one.asked.permits > most) found.insert(found.end(), one.count, id);
  for (const auto& one : tries_.all())
    if (one.asked.permits > most) found.push_back(one.id);
  return found;
}

std::size_t demands::count_after(demand_id newest) const noexcept {
  auto count = tries_.count_after(newest);
  for (const auto& all : roles_)
    for (auto it = all.by_id.upper_bound(newest); it != all.by_id.end(); ++it)
      count += it->second.count;
  return count;
}

bool demands::is_next(role wants) const noexcept {
  if (of(other_than(wants)).in_line() != 0) return false;
  if (of(wants).in_line() != 0) return true;
  const auto waiting = next();
  return waiting && waiting->asked.wants == wants;
}

bool demands::is_any_wanting(role wants) const noexcept {
  return of(wants).count != 0 || tries_.is_any_wanting(wants);
}

std::size_t demands::nodes() const noexcept {
  std::size_t nodes = roles_[0].entries + roles_[1].entries + tries_.nodes();
  if (large_ == 0 && brought_ == 0) return nodes;
  for (const auto& all : roles_) {
    auto in_line = all.entries;
    for (const auto& [id, one] : all.by_id) {
      const auto some = std::min(in_line, one.count);
      in_line -= some;
      nodes += some * (one.asked.permits - 1);
      if (one.asked.has_room) nodes += (one.count - some) * one.asked.permits;
      if (in_line == 0 && brought_ == 0) break;
    }
  }
  return nodes;
}

std::optional<demands::position> demands::find(demand_id id, std::size_t nth) const noexcept {
  for (const auto wants : {role::exclusive, role::shared}) {
    if (!of(wants).by_id.contains(id)) continue;
    const auto before = count_before(of(wants), id) + nth;
    if (before < of(wants).entries) return position{.in_line = rank{wants, before}};
    const same_role& other = of(other_than(wants));
    const auto others = count_before(other, id);
    return position{.waiting =
                        before - of(wants).entries + others - std::min(others, other.entries)};
  }
  return std::nullopt;
}

} // namespace zklock::queue
