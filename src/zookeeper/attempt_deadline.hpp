#pragma once

#include <algorithm>
#include <chrono>

namespace zklock::zookeeper {

/// The time until which a server must have established a connection.
class attempt_deadline {
 public:
  using clock = std::chrono::steady_clock;

  void begin(clock::time_point deadline) noexcept {
    time_ = deadline;
    limit_ = deadline - clock::now();
    asked_ = established_ = false;
  }

  /// The connect request is sent: the time limit of the server begins again.
  void asked() noexcept {
    asked_ = true;
    time_ = clock::now() + limit_;
  }

  bool is_asked() const noexcept { return asked_; }

  void established() noexcept { established_ = true; }
  bool is_established() const noexcept { return established_; }

  /// Whether the server owes a reply to the connect request.
  bool awaits_reply() const noexcept { return asked_ && !established_; }

  bool is_over(clock::time_point as_of) const noexcept { return !established_ && as_of >= time_; }

  /// The earlier time: `due`, or the deadline while it counts.
  clock::time_point cap(clock::time_point due) const noexcept {
    return established_ ? due : std::min(due, time_);
  }

 private:
  clock::time_point time_;
  clock::duration limit_{0};
  bool asked_ = false;
  bool established_ = false;
};

} // namespace zklock::zookeeper
