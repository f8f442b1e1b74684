#pragma once

#include "zookeeper/request_label.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace zklock::zookeeper {

/// Notices requests that servers do not reply to: servers end the connection in silence if they do
/// not know a request, or if the request is larger than their jute.maxbuffer.
///
/// Invariant: `most_bytes` is never less than half of a transaction that was replied to.
class cut_requests {
 public:
  /// So many connections that end behind a kind of request are no accident.
  static constexpr int suspicious = 3;

  /// A request has its reply.
  void answered(const request_label& which) noexcept {
    largest_answered_ = std::max(largest_answered_, which.bytes);
    if (which.name == name_) count_ = 0;
  }

  /// A connection has ended behind a request, which has no reply.
  void ended_behind(const request_label& which) noexcept {
    count_ = which.name == std::exchange(name_, which.name) ? count_ + 1 : 1;
    if (which.bytes > largest_answered_ && which.bytes <= 2 * most_bytes_)
      most_bytes_ = std::clamp(which.bytes / 2, least_bytes, most_bytes_);
  }

  /// How many connections in a row have ended behind a request of the last kind, since a request of
  /// that kind was replied to.
  int count() const noexcept { return count_; }

  /// The largest size of a transaction of combined writes.
  std::size_t most_bytes() const noexcept { return most_bytes_; }

 private:
  static constexpr std::size_t least_bytes = 1024;

  const char* name_ = nullptr;
  int count_ = 0;
  std::size_t largest_answered_ = 0;
  // Far below the default limit of servers, 1 MB.
  std::size_t most_bytes_ = std::size_t{64} * 1024;
};

} // namespace zklock::zookeeper
