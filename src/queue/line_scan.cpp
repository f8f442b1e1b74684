#include "queue/line_scan.hpp"

#include <cstddef>

namespace zklock::queue {

namespace {

constexpr std::array both_roles{role::exclusive, role::shared};

bool begins_before(const line::own_entries& some, sequence number) noexcept {
  return !some.empty() && some.begin()->first < number;
}

} // namespace

entry* line_scan::next() noexcept {
  const auto& own = of_.groups();
  entry* next = own.next_waiting(last_waiting_);
  for (const auto wants : both_roles) {
    const auto& some = own.cached(wants);
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

void line_scan::reach(sequence number) noexcept {
  others_ = of_.others().between({}, number);
  for (const auto wants : both_roles)
    if (begins_before(of_.groups().held(wants), number) ||
        begins_before(of_.groups().cached(wants), number))
      others_.add(wants);
}

} // namespace zklock::queue
