#pragma once

#include "zookeeper/request.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace zklock::detail {

/// Returns which directory a client creates next, so that a directory and all directories above it
/// exist: `path` or the beginning of it. Empty if there is none left, or the client gives up.
///
/// The client begins with `path`, since as a rule no other directory is missing. The client goes up
/// until a directory exists or can be created, then down again. `result` answers the create of
/// `asked`. `chroot_length`: how many characters of the path are the chroot, which is not created.
inline std::string_view next_directory(std::string_view path, std::size_t chroot_length,
                                       std::string_view asked, zookeeper::status result) noexcept {
  using zookeeper::status;
  if (result == status::ok || result == status::node_exists) {
    if (asked.size() == path.size()) return {};
    return path.substr(0, std::min(path.find('/', asked.size() + 1), path.size()));
  }
  // On the way down, too: another client may have deleted the directory above meanwhile.
  if (result != status::no_node) return {};
  const auto above = path.rfind('/', asked.size() - 1);
  return above > chroot_length ? path.substr(0, above) : std::string_view();
}

} // namespace zklock::detail
