#include "testing/relay_counts.hpp"

namespace zklock::testing {

void relay_counts::forwarded(direction way, const std::vector<operation>& kinds,
                             std::size_t bytes) {
  std::lock_guard lock(mutex_);
  one_way& counts = ways_[static_cast<std::size_t>(way)];
  for (operation kind : kinds)
    ++counts.frames[kind];
  counts.bytes += bytes;
}

void relay_counts::connection_opened() {
  std::lock_guard lock(mutex_);
  ++accepted_;
  ++connections_;
  changed_.notify_all();
}

void relay_counts::connection_closed() {
  std::lock_guard lock(mutex_);
  --connections_;
  changed_.notify_all();
}

std::uint64_t relay_counts::frames(direction way, operation kind) const {
  std::lock_guard lock(mutex_);
  const auto& frames = ways_[static_cast<std::size_t>(way)].frames;
  auto found = frames.find(kind);
  return found == frames.end() ? 0 : found->second;
}

std::uint64_t relay_counts::total_requests() const {
  std::lock_guard lock(mutex_);
  std::uint64_t total = 0;
  for (auto [kind, count] : ways_[static_cast<std::size_t>(direction::to_server)].frames)
    if (kind != operation::ping && kind != operation::connect) total += count;
  return total;
}

std::uint64_t relay_counts::bytes(direction way) const {
  std::lock_guard lock(mutex_);
  return ways_[static_cast<std::size_t>(way)].bytes;
}

std::uint64_t relay_counts::accepted() const {
  std::lock_guard lock(mutex_);
  return accepted_;
}

std::size_t relay_counts::connections() const {
  std::lock_guard lock(mutex_);
  return connections_;
}

bool relay_counts::wait_for_connections(std::size_t count, std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return connections_ == count; });
}

void relay_counts::reset() {
  std::lock_guard lock(mutex_);
  ways_ = {};
  accepted_ = 0;
}

} // namespace zklock::testing
