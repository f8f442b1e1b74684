#include "queue/attempts.hpp"

#include <algorithm>
#include <iterator>

namespace zklock::queue {

lock_mode attempts::take(acquisition_id id) noexcept {
  const auto found = all_.find(id);
  const lock_mode asked = found->second.asked;
  all_.erase(found);
  return asked;
}

std::vector<attempts::attempt> attempts::fresh() const {
  std::vector<attempt> found;
  for (const auto& [id, one] : all_)
    if (one.order == 0) found.push_back({id, one.asked});
  return found;
}

void attempts::probe(std::uint64_t next_order) noexcept {
  for (auto& [id, one] : all_)
    if (one.order == 0) one.order = next_order;
}

std::vector<attempts::attempt> attempts::answered_by(std::uint64_t order) const {
  std::vector<attempt> answered;
  for (const auto& [id, one] : all_)
    if (one.order != 0 && one.order <= order) answered.push_back({id, one.asked});
  return answered;
}

void attempts::disconnected() noexcept {
  for (auto& [id, one] : all_)
    one.order = 0;
}

void attempts::withdraw_until(acquisition_id newest, std::vector<acquisition_id>& to) {
  const auto end = all_.upper_bound(newest);
  for (auto it = all_.begin(); it != end; ++it)
    to.push_back(it->first);
  all_.erase(all_.begin(), end);
}

void attempts::withdraw_above(std::uint32_t most, std::vector<acquisition_id>& to) {
  for (auto it = all_.begin(); it != all_.end();) {
    const auto [id, one] = *it;
    if (one.asked.permits > most) to.push_back(id);
    it = one.asked.permits > most ? all_.erase(it) : std::next(it);
  }
}

std::size_t attempts::count_after(acquisition_id newest) const noexcept {
  return static_cast<std::size_t>(std::distance(all_.upper_bound(newest), all_.end()));
}

std::size_t attempts::count_brought() const noexcept {
  std::size_t nodes = 0;
  for (const auto& [id, one] : all_)
    if (one.asked.has_room) nodes += one.asked.permits;
  return nodes;
}

bool attempts::is_any_wanting(role wants) const noexcept {
  return std::any_of(all_.begin(), all_.end(),
                     [wants](const auto& each) { return each.second.asked.wants == wants; });
}

} // namespace zklock::queue
