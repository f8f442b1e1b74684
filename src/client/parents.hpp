#pragma once

#include "zookeeper/request.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace zklock::detail {

/// Creates a directory and the missing ones above it: goes up until a directory exists or can be
/// created, then down again. The lowest is tried first, since as a rule only that one is missing.
class parents {
 public:
  /// `chroot_length`: how many characters of the path are the chroot, which is not created.
  parents(std::string_view path, std::size_t chroot_length) noexcept
      : path_(path), chroot_length_(chroot_length), length_(path.size()) {}

  void restart() noexcept { length_ = path_.size(); }

  /// The directory to create next.
  std::string next() const { return std::string(path_.substr(0, length_)); }

  /// Takes the answer. Returns whether another directory is to be created.
  bool answered(zookeeper::status result) noexcept {
    using zookeeper::status;
    if (result == status::ok || result == status::node_exists) {
      if (length_ == path_.size()) return false;
      length_ = std::min(path_.find('/', length_ + 1), path_.size());
      return true;
    }
    // On the way down, too: what is above may have been deleted meanwhile.
    if (result != status::no_node) return false;
    length_ = path_.rfind('/', length_ - 1);
    return length_ > chroot_length_;
  }

 private:
  const std::string_view path_;
  const std::size_t chroot_length_;
  std::size_t length_;
};

} // namespace zklock::detail
