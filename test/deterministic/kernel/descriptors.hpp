#pragma once

#include "deterministic/kernel/file.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace deterministic {

/// The simulated descriptors. Their numbers begin far above those of real descriptors. The lowest
/// free number is given to the next descriptor, as Linux does.
class descriptors {
 public:
  static constexpr int first = 10'000;

  static bool is_simulated(int number) noexcept { return number >= first; }

  /// Opens a descriptor of a file.
  int open(std::shared_ptr<file> what);

  /// Closes a descriptor. Returns 0 or a negative error.
  int close(int number);

  /// Opens a descriptor of the file of another descriptor.
  int duplicate(int number);

  /// Makes `to` a descriptor of the file of `from`. Closes it first.
  int duplicate_to(int from, int to);

  /// The file of a descriptor; null if it is closed.
  file* find(int number) const noexcept;

  /// The file of a descriptor as a kind of file; null if it is of another kind.
  template <class Kind>
  Kind* find_as(int number) const noexcept {
    return dynamic_cast<Kind*>(find(number));
  }

  /// The number of open descriptors.
  std::size_t count() const noexcept {
    return open_.size() - static_cast<std::size_t>(std::count(open_.begin(), open_.end(), nullptr));
  }

  /// Whether the process waits by epoll for a file that is open only for that.
  bool is_any_abandoned(const process& owner) const noexcept;

  /// Closes the descriptors of files that a process has opened. Returns their number.
  std::size_t close_all_of(const process& owner);

 private:
  std::vector<std::shared_ptr<file>> open_;
};

} // namespace deterministic
