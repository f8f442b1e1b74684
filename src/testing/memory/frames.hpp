#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing::memory {

/// Splits the bytes of a client into frames. A frame has a length of 1 MiB at most, which is
/// ZooKeeper's default limit.
class frame_splitter {
 public:
  void append(std::string_view bytes) { buffer_.append(bytes); }

  /// Returns the next complete frame, without its length. Throws `error` if the length is invalid.
  std::optional<std::string> next();

  /// Returns the four-letter word that the bytes begin with, which is possible instead of the
  /// first frame.
  std::optional<std::string> four_letter_word() const;

 private:
  std::string buffer_;
};

} // namespace zklock::testing::memory
