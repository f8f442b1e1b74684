#pragma once

#include <unistd.h>

#include <utility>

namespace zklock::detail {

/// Owns a file descriptor.
class unique_descriptor {
 public:
  explicit unique_descriptor(int descriptor = -1) noexcept : descriptor_(descriptor) {}
  unique_descriptor(unique_descriptor&& other) noexcept : descriptor_(other.release()) {}
  unique_descriptor& operator=(unique_descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~unique_descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int get() const noexcept { return descriptor_; }
  int release() noexcept { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

} // namespace zklock::detail
