#include "transaction_log.hpp"

#include <algorithm>

namespace deterministic::servers {

std::deque<entry>::const_iterator transaction_log::behind(zxid id) const noexcept {
  return std::upper_bound(entries_.begin(), entries_.end(), id,
                          [](zxid left, const entry& right) { return left < right->id; });
}

void transaction_log::truncate(zxid after) {
  while (!entries_.empty() && entries_.back()->id > after)
    entries_.pop_back();
}

void transaction_log::forget(std::size_t kept, zxid up_to) {
  while (entries_.size() > kept && entries_.front()->id <= up_to) {
    base_ = entries_.front()->id;
    entries_.pop_front();
  }
}

void transaction_log::restart(zxid base) {
  entries_.clear();
  base_ = base;
}

zxid transaction_log::newest_up_to(zxid id) const noexcept {
  const auto end = behind(id);
  return end == entries_.begin() ? base_ : (*(end - 1))->id;
}

std::vector<entry> transaction_log::following(zxid after) const {
  return {behind(after), entries_.end()};
}

} // namespace deterministic::servers
