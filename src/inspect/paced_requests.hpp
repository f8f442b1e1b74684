#pragma once

#include <cstddef>

namespace zklock::detail {

/// Numbered requests of a query, of which a bounded number is sent at a time: more would only wait
/// at the server, before the requests of the client's locks.
///
/// Invariant: while any is left, as many are under way as there are left, or `most`.
class paced_requests {
 public:
  static constexpr std::size_t most = 64;

  /// Calls `send` with the numbers from 0 to `count` as their turns come. Those of before are
  /// forgotten. Returns whether there is none.
  template <class Send>
  bool begin(std::size_t count, Send send) {
    next_ = 0;
    count_ = left_ = count;
    while (next_ != count_ && next_ != most)
      send(next_++);
    return left_ == 0;
  }

  /// One is answered: sends the next. Returns whether none is left.
  template <class Send>
  bool answered(Send send) {
    --left_;
    if (next_ != count_) send(next_++);
    return left_ == 0;
  }

 private:
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t left_ = 0;
};

} // namespace zklock::detail
