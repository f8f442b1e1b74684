#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// The size of the length in front of each frame, in bytes.
inline constexpr std::size_t frame_length_size = 4;

/// Bytes that have arrived on a connection, as frames. A frame is a length of four bytes, followed
/// by that number of bytes.
///
/// The memory grows with the received bytes, never with an announced length.
class frame_buffer {
 public:
  /// The space for the next bytes; never empty.
  std::span<char> prepare();

  /// Adds the bytes that were written to the beginning of that space.
  void commit(std::size_t size) noexcept { end_ += size; }

  /// The length that the first frame announces; nothing until all four bytes of it have arrived.
  std::optional<std::int32_t> length() const noexcept;

  /// All bytes, from the beginning of the first frame on.
  std::string_view bytes() const noexcept { return {data_.data() + begin_, end_ - begin_}; }

  /// The first frame with its length; empty while it is incomplete. Its length must not be
  /// negative.
  std::string_view frame() const noexcept;

  /// Removes bytes from the beginning. They must exist.
  void consume(std::size_t size) noexcept;

 private:
  std::vector<char> data_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

} // namespace zklock::zookeeper
