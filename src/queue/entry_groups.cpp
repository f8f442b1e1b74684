#include "queue/entry_groups.hpp"

#include <iterator>

namespace zklock::queue {

namespace {

using by_number = entry_groups::by_number;

entry* first_behind(const by_number& some, std::optional<sequence> after) noexcept {
  const auto it = after ? some.upper_bound(*after) : some.begin();
  return it == some.end() ? nullptr : it->second;
}

entry* last_before(const by_number& some, std::optional<sequence> before) noexcept {
  const auto it = before ? some.lower_bound(*before) : some.end();
  return it == some.begin() ? nullptr : std::prev(it)->second;
}

entry* earlier(entry* a, entry* b) noexcept {
  return !a || (b && b->number < a->number) ? b : a;
}

entry* later(entry* a, entry* b) noexcept {
  return !a || (b && b->number > a->number) ? b : a;
}

} // namespace

std::uint8_t entry_groups::group_of(const entry& e) noexcept {
  const auto in = e.is == entry::state::held     ? group::held
                  : e.is == entry::state::cached ? group::cached
                                                 : group::waiting;
  return static_cast<std::uint8_t>(static_cast<std::size_t>(in) * roles +
                                   static_cast<std::size_t>(e.wants) + 1);
}

void entry_groups::insert(entry& e) {
  all_.emplace_hint(all_.end(), e.number, &e);
  e.group = group_of(e);
  auto& some = of(e.group);
  some.emplace_hint(some.end(), e.number, &e);
}

void entry_groups::erase(entry& e) noexcept {
  const auto it = all_.find(e.number);
  if (it == all_.end() || it->second != &e) return;
  all_.erase(it);
  of(e.group).erase(e.number);
  e.group = 0;
}

void entry_groups::regroup(entry& e) noexcept {
  const auto now = group_of(e);
  if (e.group == 0 || e.group == now) return;
  of(now).insert(of(e.group).extract(e.number));
  e.group = now;
}

void entry_groups::clear() noexcept {
  for (const auto& [number, e] : all_)
    e->group = 0;
  all_.clear();
  for (auto& some : groups_)
    some.clear();
}

bool entry_groups::is_any_held() const noexcept {
  return !held(role::exclusive).empty() || !held(role::shared).empty();
}

std::size_t entry_groups::count_writers() const noexcept {
  return of(group::waiting, role::exclusive).size() + held(role::exclusive).size() +
         cached(role::exclusive).size();
}

entry* entry_groups::next_waiting(std::optional<sequence> after) const noexcept {
  return earlier(first_behind(of(group::waiting, role::exclusive), after),
                 first_behind(of(group::waiting, role::shared), after));
}

entry* entry_groups::last_waiting(std::optional<sequence> before) const noexcept {
  return later(last_before(of(group::waiting, role::exclusive), before),
               last_before(of(group::waiting, role::shared), before));
}

entry* entry_groups::last_not_held(role wants, std::optional<sequence> before) const noexcept {
  return later(last_before(of(group::waiting, wants), before), last_before(cached(wants), before));
}

entry* entry_groups::last_writer(sequence before) const noexcept {
  return later(last_before(of(group::waiting, role::exclusive), before),
               later(last_before(held(role::exclusive), before),
                     last_before(cached(role::exclusive), before)));
}

entry* entry_groups::last(sequence before) const noexcept {
  return last_before(all_, before);
}

} // namespace zklock::queue
