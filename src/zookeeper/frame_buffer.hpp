#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// What has arrived on a connection and was not taken yet, as frames: four bytes that tell a
/// length, and so many more.
///
/// Its memory grows with what has arrived, never with what a length announces.
class frame_buffer {
 public:
  /// Where the bytes that arrive next belong; never empty.
  std::span<char> room();

  /// So many bytes were written there.
  void filled(std::size_t size) noexcept { end_ += size; }

  /// What the first frame says its length is; nothing before all of its four bytes are there.
  std::optional<std::int32_t> length() const noexcept;

  /// All there is, from the beginning of the first frame on.
  std::string_view bytes() const noexcept { return {data_.data() + begin_, end_ - begin_}; }

  /// The first frame with its length; empty before all of it is there. Its length must not be
  /// negative.
  std::string_view frame() const noexcept;

  /// Drops so many bytes, which must be there.
  void drop(std::size_t size) noexcept;

 private:
  std::vector<char> data_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

} // namespace zklock::zookeeper
