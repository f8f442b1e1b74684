#include "deterministic/kernel/clock.hpp"

#include <algorithm>
#include <utility>

namespace deterministic {

event_loop::timer clock::at(time_point when, std::function<void()> what) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const auto which = free_.back();
  free_.pop_back();
  slots_[which].what = std::move(what);
  heap_.emplace_back();
  rise(heap_.size() - 1, {std::max(when, now_), ++order_, which});
  return timer{slots_[which].generation} << 32 | which;
}

void clock::cancel(timer which) noexcept {
  const auto index = static_cast<std::uint32_t>(which);
  if (index >= slots_.size() || slots_[index].generation != which >> 32) return;
  remove(slots_[index].place);
  release(index);
}

bool clock::fire() {
  if (heap_.empty() || heap_.front().when > now_) return false;
  const auto index = heap_.front().slot;
  remove(0);
  const auto what = std::move(slots_[index].what);
  release(index);
  ++fired_;
  what();
  return true;
}

void clock::release(std::uint32_t which) noexcept {
  slots_[which].what = nullptr;
  ++slots_[which].generation;
  free_.push_back(which);
}

void clock::put(std::size_t place, const entry& one) noexcept {
  heap_[place] = one;
  slots_[one.slot].place = place;
}

void clock::rise(std::size_t place, const entry& one) noexcept {
  for (; place != 0 && one.before(heap_[(place - 1) / 2]); place = (place - 1) / 2)
    put(place, heap_[(place - 1) / 2]);
  put(place, one);
}

void clock::sink(std::size_t place, const entry& one) noexcept {
  for (;;) {
    auto child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(one)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, one);
}

void clock::remove(std::size_t place) noexcept {
  const entry last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  if (place != 0 && last.before(heap_[(place - 1) / 2]))
    rise(place, last);
  else
    sink(place, last);
}

} // namespace deterministic
