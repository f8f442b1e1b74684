#include "queue/foreign_entries.hpp"

#include <algorithm>

namespace zklock::queue {

void foreign_entries::clear() noexcept {
  writers_.clear();
  all_.clear();
}

void foreign_entries::add(const entry_name& parsed, std::string_view name, bool is_watched) {
  const auto made = all_.emplace(
      parsed.number, foreign{std::string(name), policy_.seen_as(parsed.wants),
                             parsed.has_id && parsed.token.caches(),
                             is_watched ? foreign::state::watched : foreign::state::unwatched});
  if (tells_roles() && made->second.wants == role::exclusive) writers_.emplace(made->first, made);
}

bool foreign_entries::is_watched(sequence number, std::string_view name) const noexcept {
  const auto [begin, end] = all_.equal_range(number);
  return std::any_of(begin, end, [&](const auto& each) {
    return each.second.is == foreign::state::watched && each.second.name == name;
  });
}

predecessors foreign_entries::between(std::optional<sequence> first, sequence end) const noexcept {
  predecessors found;
  const auto has_any = [&](const auto& some) {
    const auto it = first ? some.lower_bound(*first) : some.begin();
    return it != some.end() && it->first < end;
  };
  if (!has_any(all_)) return found;
  found.add(!tells_roles() || has_any(writers_) ? role::exclusive : role::shared);
  return found;
}

foreign_entries::change foreign_entries::gone(std::string_view name) {
  const auto it = find(name);
  if (it == all_.end()) return change::none;
  foreign& one = it->second;
  if (one.wants == role::exclusive) erase_writer(it);
  if (one.is != foreign::state::unconfirmed && !policy_.may_be_replaced(one.wants)) {
    all_.erase(it);
    return change::gone;
  }
  one.is = foreign::state::unconfirmed;
  one.wants = role::shared;
  return change::replaced;
}

bool foreign_entries::unwatched(std::string_view name) noexcept {
  const auto it = find(name);
  if (it == all_.end()) return false;
  if (it->second.is == foreign::state::watched) it->second.is = foreign::state::unwatched;
  return true;
}

foreign_entries::by_number::iterator foreign_entries::find(std::string_view name) noexcept {
  if (const auto parsed = parse_entry_name(name)) {
    auto [it, end] = all_.equal_range(parsed->number);
    for (; it != end; ++it)
      if (it->second.name == name) return it;
  }
  return all_.end();
}

void foreign_entries::erase_writer(by_number::iterator which) {
  const auto [begin, end] = writers_.equal_range(which->first);
  const auto it = std::find_if(begin, end, [&](const auto& each) { return each.second == which; });
  if (it != end) writers_.erase(it);
}

} // namespace zklock::queue
