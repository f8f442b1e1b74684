#include <zklock/owner.hpp>

#include <atomic>

namespace zklock {

owner::owner() noexcept {
  static std::atomic<std::uint64_t> last{0};
  id_ = ++last;
}

} // namespace zklock
