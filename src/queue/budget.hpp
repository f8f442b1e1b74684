#pragma once

#include <cstddef>

namespace zklock::queue {

/// How many bytes of node paths a session may own. Ending a session that owns too many kills the
/// ensemble: the transaction that deletes them outgrows what the servers accept (ZOOKEEPER-4306).
class budget {
 public:
  explicit budget(std::size_t bytes) noexcept : left_(bytes) {}

  bool take(std::size_t bytes) noexcept {
    if (bytes != 0 && (closed_ || bytes > left_)) return false;
    left_ -= bytes;
    return true;
  }

  void give_back(std::size_t bytes) noexcept { left_ += bytes; }

  std::size_t left() const noexcept { return left_; }

  /// While it is closed nobody gets anything: others come first.
  void close(bool closed) noexcept { closed_ = closed; }

 private:
  std::size_t left_;
  bool closed_ = false;
};

} // namespace zklock::queue
