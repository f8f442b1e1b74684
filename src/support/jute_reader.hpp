#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zklock::detail {

/// Reads values in Jute, ZooKeeper's encoding: big-endian numbers, and texts and data after their
/// length. A read beyond the end, and every later read, returns 0 or an empty text and makes `good`
/// false. Returned texts are parts of the bytes.
class jute_reader {
 public:
  explicit jute_reader(std::string_view bytes) noexcept : rest_(bytes) {}

  bool good() const noexcept { return good_; }

  /// Returns the bytes that were not read.
  std::string_view rest() const noexcept { return rest_; }

  bool read_bool() noexcept { return read_number(1) != 0; }
  std::int32_t read_int() noexcept { return static_cast<std::int32_t>(read_number(4)); }
  std::int64_t read_long() noexcept { return static_cast<std::int64_t>(read_number(8)); }

  /// Reads text or data; nothing if it is null.
  std::optional<std::string_view> read_buffer() noexcept {
    constexpr std::int32_t null_size = -1;
    const auto size = read_int();
    if (size == null_size) return {};
    if (size < 0) good_ = false;
    return read_bytes(static_cast<std::size_t>(size));
  }

  void skip(std::size_t size) noexcept { read_bytes(size); }

  /// Skips a path or a name, which cannot be null.
  void skip_string() noexcept {
    if (!read_buffer()) good_ = false;
  }

  /// Skips a list of names.
  void skip_strings() noexcept {
    const auto count = read_int();
    if (count < 0) good_ = false;
    for (std::int32_t i = 0; i < count && good_; ++i)
      skip_string();
  }

 private:
  std::string_view read_bytes(std::size_t size) noexcept {
    good_ = good_ && rest_.size() >= size;
    if (!good_) return {};
    const auto bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::uint64_t read_number(std::size_t size) noexcept {
    std::uint64_t value = 0;
    for (const char each : read_bytes(size))
      value = value << 8 | static_cast<unsigned char>(each);
    return value;
  }

  std::string_view rest_;
  bool good_ = true;
};

} // namespace zklock::detail
