#include "deterministic/kernel/file.hpp"

#include <algorithm>

namespace deterministic {

void file::closed() {
  if (--descriptors_ != 0) return;
  while (!waiters_.empty()) {
    file_waiter& last = *waiters_.back();
    waiters_.pop_back();
    last.on_released();
  }
  released();
}

void file::remove(file_waiter& waiter) noexcept {
  std::erase(waiters_, &waiter);
}

bool file::is_registered() const {
  return std::any_of(waiters_.begin(), waiters_.end(),
                     [](const file_waiter* each) { return each->is_registered(); });
}

// A waiter may only note that it was called: it neither adds nor removes waiters.
void file::changed(std::uint32_t events) {
  for (file_waiter* const each : waiters_)
    each->on_changed(events);
}

} // namespace deterministic
