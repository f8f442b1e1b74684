// The entries before a number, without looking at all of them.

#include "queue/line.hpp"

#include <algorithm>
#include <array>

namespace zklock::queue {

namespace {

constexpr std::array both_roles{role::exclusive, role::shared};

bool begins_before(const line::own_entries& some, sequence number) noexcept {
  return !some.empty() && some.begin()->first < number;
}

} // namespace

bool line::is_any_held_uncovered() const noexcept {
  return std::any_of(both_roles.begin(), both_roles.end(), [this](role wants) {
    const auto& some = own_.held(wants);
    return !some.empty() && !covers(*some.rbegin()->second);
  });
}

predecessors line::others_between(std::optional<sequence> first, sequence end) const noexcept {
  predecessors found;
  const auto has_any = [&](const auto& some) {
    const auto it = first ? some.lower_bound(*first) : some.begin();
    return it != some.end() && it->first < end;
  };
  if (!has_any(foreign_)) return found;
  found.add(!tells_roles() || has_any(writers_) ? role::exclusive : role::shared);
  return found;
}

std::optional<sequence> line::conflicting_own_before(const entry& e) const noexcept {
  const bool passes_readers = e.wants == role::shared && tells_roles();
  const entry* const found = passes_readers ? own_.last_writer(e.number) : own_.last(e.number);
  return found ? std::optional(found->number) : std::nullopt;
}

void line::erase(foreign_entries::iterator which) {
  if (which->second.wants == role::exclusive) erase_writer(which);
  foreign_.erase(which);
}

void line::erase_writer(foreign_entries::iterator which) {
  const auto [begin, end] = writers_.equal_range(which->first);
  const auto it = std::find_if(begin, end, [&](const auto& each) { return each.second == which; });
  if (it != end) writers_.erase(it);
}

entry* line::scan::next() noexcept {
  entry* next = of_.own_.next_waiting(last_waiting_);
  for (const auto wants : both_roles) {
    const auto& some = of_.own_.cached(wants);
    entry* const first = some.empty() ? nullptr : some.begin()->second;
    const bool is_passed = first == last_cached_[static_cast<std::size_t>(wants)];
    if (first && !is_passed && (!next || first->number < next->number)) next = first;
  }
  if (!next) return nullptr;
  if (next->is == entry::state::cached)
    last_cached_[static_cast<std::size_t>(next->wants)] = next;
  else
    last_waiting_ = next->number;
  return next;
}

void line::scan::reach(sequence number) noexcept {
  others_ = of_.others_between({}, number);
  for (const auto wants : both_roles)
    if (begins_before(of_.own_.held(wants), number) ||
        begins_before(of_.own_.cached(wants), number))
      others_.add(wants);
}

} // namespace zklock::queue
