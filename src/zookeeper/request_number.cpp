#include "zookeeper/request_number.hpp"

#include <atomic>
#include <limits>

namespace zklock::zookeeper {

namespace {

constinit std::atomic<std::int32_t> next_number{1};

} // namespace

std::int32_t next_request_number() noexcept {
  constexpr auto last = std::numeric_limits<std::int32_t>::max();
  auto number = next_number.load(std::memory_order_relaxed);
  while (!next_number.compare_exchange_weak(number, number == last ? 1 : number + 1,
                                            std::memory_order_relaxed)) {}
  return number;
}

void continue_request_numbers(std::int32_t next) noexcept {
  next_number.store(next, std::memory_order_relaxed);
}

} // namespace zklock::zookeeper
