#pragma once

#include <cstddef>
#include <optional>

namespace zklock::detail {

/// Numbered requests of a query, of which a bounded number is in flight at a time: more requests
/// would only wait at the server, before the requests of the client's locks.
class paced_requests {
 public:
  static constexpr std::size_t most = 64;

  /// Begins anew with the requests 0 to `count` - 1.
  void begin(std::size_t count) noexcept {
    next_ = answered_ = 0;
    count_ = count;
  }

  /// Returns the number of the next request to send; nothing if no request may be sent now.
  std::optional<std::size_t> next() noexcept {
    if (next_ == count_ || next_ - answered_ == most) return std::nullopt;
    return next_++;
  }

  void answered() noexcept { ++answered_; }

  /// Whether all requests have their replies.
  bool done() const noexcept { return answered_ == count_; }

 private:
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t answered_ = 0;
};

} // namespace zklock::detail
