#include "deterministic/kernel/descriptors.hpp"

#include <algorithm>
#include <utility>

namespace deterministic {

int descriptors::open(std::shared_ptr<file> what) {
  auto free = std::find(open_.begin(), open_.end(), nullptr);
  if (free == open_.end()) free = open_.insert(free, nullptr);
  what->opened();
  *free = std::move(what);
  return first + static_cast<int>(free - open_.begin());
}

int descriptors::close(int number) {
  if (!find(number)) return -EBADF;
  const auto closed = std::exchange(open_[static_cast<std::size_t>(number - first)], nullptr);
  closed->closed();
  return 0;
}

int descriptors::duplicate(int number) {
  if (!find(number)) return -EBADF;
  return open(open_[static_cast<std::size_t>(number - first)]);
}

int descriptors::duplicate_to(int from, int to) {
  if (!find(from) || !find(to)) return -EBADF;
  const auto kept = open_[static_cast<std::size_t>(from - first)];
  close(to);
  kept->opened();
  open_[static_cast<std::size_t>(to - first)] = kept;
  return to;
}

file* descriptors::find(int number) const noexcept {
  const auto index = static_cast<std::size_t>(number - first);
  return number >= first && index < open_.size() ? open_[index].get() : nullptr;
}

bool descriptors::is_any_abandoned(const process& owner) const noexcept {
  return std::any_of(open_.begin(), open_.end(), [&](const std::shared_ptr<file>& each) {
    return each && each->owner() == &owner && each->is_abandoned();
  });
}

std::size_t descriptors::close_all_of(const process& owner) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (open_[i] && open_[i]->owner() == &owner) {
      close(first + static_cast<int>(i));
      ++count;
    }
  return count;
}

} // namespace deterministic
