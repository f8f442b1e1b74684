#pragma once

#include <zklock/testing/relay.hpp>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace zklock::testing {

/// The counters of a relay. Written by the relays' thread.
///
/// Thread safety: safe.
class relay_counts {
 public:
  void forwarded(direction way, const std::vector<operation>& kinds, std::size_t bytes);
  void connection_opened();
  void connection_closed();

  std::uint64_t frames(direction way, operation kind) const;
  std::uint64_t total_requests() const;
  std::uint64_t bytes(direction way) const;
  std::uint64_t accepted() const;
  std::size_t connections() const;
  bool wait_for_connections(std::size_t count, std::chrono::milliseconds limit) const;
  void reset();

 private:
  struct one_way {
    std::map<operation, std::uint64_t> frames;
    std::uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::array<one_way, 2> ways_;
  std::uint64_t accepted_ = 0;
  std::size_t connections_ = 0;
};

} // namespace zklock::testing
