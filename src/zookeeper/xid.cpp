#include "zookeeper/xid.hpp"

#include <atomic>
#include <limits>

namespace zklock::zookeeper {

namespace {

constinit std::atomic<std::int32_t> next{1};

} // namespace

std::int32_t next_xid() noexcept {
  constexpr auto last = std::numeric_limits<std::int32_t>::max();
  auto xid = next.load(std::memory_order_relaxed);
  while (!next.compare_exchange_weak(xid, xid == last ? 1 : xid + 1, std::memory_order_relaxed)) {}
  return xid;
}

void set_next_xid(std::int32_t xid) noexcept {
  next.store(xid, std::memory_order_relaxed);
}

} // namespace zklock::zookeeper
