#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace exhaustive {

/// A hash set of evenly spread numbers, eight bytes for each slot.
class visited {
 public:
  /// Returns whether it is new.
  bool insert(std::uint64_t number) {
    if (number == 0) number = 1;
    if (size_ * 5 >= slots_.size() * 4) grow();
    return place(number);
  }

 private:
  bool place(std::uint64_t number) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = number & mask;; i = (i + 1) & mask) {
      if (slots_[i] == number) return false;
      if (slots_[i] != 0) continue;
      slots_[i] = number;
      ++size_;
      return true;
    }
  }

  void grow() {
    auto old = std::exchange(slots_, std::vector<std::uint64_t>(slots_.size() * 2));
    size_ = 0;
    for (const auto number : old)
      if (number != 0) place(number);
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(std::size_t{1} << 16);
  std::size_t size_ = 0;
};

} // namespace exhaustive
