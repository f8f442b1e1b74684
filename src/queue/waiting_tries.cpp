#include "queue/waiting_tries.hpp"

#include <algorithm>
#include <iterator>

namespace zklock::queue {

std::optional<lock_mode> waiting_tries::take(demand_id id) noexcept {
  const auto found = all_.find(id);
  if (found == all_.end()) return std::nullopt;
  const lock_mode asked = found->second.asked;
  all_.erase(found);
  return asked;
}

template <class Predicate>
std::vector<demand> waiting_tries::select(Predicate wanted) const {
  std::vector<demand> found;
  for (const auto& [id, one] : all_)
    if (wanted(one.order)) found.push_back({id, one.asked});
  return found;
}

std::vector<demand> waiting_tries::all() const {
  return select([](std::uint64_t) { return true; });
}

std::vector<demand> waiting_tries::fresh() const {
  return select([](std::uint64_t order) { return order == 0; });
}

void waiting_tries::probe(std::uint64_t next_order) noexcept {
  for (auto& [id, one] : all_)
    if (one.order == 0) one.order = next_order;
}

std::vector<demand> waiting_tries::answered_by(std::uint64_t order) const {
  return select([order](std::uint64_t first) { return first != 0 && first <= order; });
}

void waiting_tries::disconnected() noexcept {
  for (auto& [id, one] : all_)
    one.order = 0;
}

std::size_t waiting_tries::count_after(demand_id newest) const noexcept {
  return static_cast<std::size_t>(std::distance(all_.upper_bound(newest), all_.end()));
}

bool waiting_tries::is_any_wanting(role wants) const noexcept {
  return std::any_of(all_.begin(), all_.end(),
                     [wants](const auto& each) { return each.second.asked.wants == wants; });
}

std::size_t waiting_tries::nodes() const noexcept {
  std::size_t nodes = 0;
  for (const auto& [id, one] : all_)
    if (one.asked.has_room) nodes += one.asked.permits;
  return nodes;
}

} // namespace zklock::queue
