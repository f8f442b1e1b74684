#pragma once

#include "client/lock_definition.hpp"
#include "plan.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace simulation {

/// The meaning of a path.
struct location {
  enum class kind : std::uint8_t { above, parent, directory, child, limit };

  kind what = kind::above;
  std::size_t directory = 0;
  std::string_view name = {};
};

/// The paths of the locks. Lock `i` is `/locks/<i>`; a semaphore's two directories are in that, and
/// all locks of another kind have their parent in common.
class names {
 public:
  explicit names(const plan& plan);

  const std::shared_ptr<const zklock::detail::lock_definition>& lock(std::size_t i) const noexcept {
    return locks_[i];
  }

  std::string path_of(std::size_t directory) const;
  location locate(std::string_view path) const;

 private:
  std::vector<std::shared_ptr<const zklock::detail::lock_definition>> locks_;
};

} // namespace simulation
