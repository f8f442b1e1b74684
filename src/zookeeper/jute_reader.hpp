#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zklock::zookeeper {

/// Reads values in Jute, ZooKeeper's encoding. A read beyond the end returns 0 and makes `good`
/// false.
class jute_reader {
 public:
  explicit jute_reader(std::string_view bytes) noexcept : rest_(bytes) {}

  bool good() const noexcept { return good_; }

  std::int32_t read_int() noexcept { return static_cast<std::int32_t>(read(4)); }
  std::int64_t read_long() noexcept { return static_cast<std::int64_t>(read(8)); }
  bool read_bool() noexcept { return read(1) != 0; }

  void skip(std::size_t size) noexcept {
    if (take(size)) rest_.remove_prefix(size);
  }

  /// Skips a length, which must be at least `min`, and that number of bytes.
  void skip_bytes(std::int32_t min) noexcept {
    const auto size = read_int();
    if (size < min) good_ = false;
    if (size > 0) skip(static_cast<std::size_t>(size));
  }

  /// Skips a path or a name. Neither can be null.
  void skip_string() noexcept { skip_bytes(0); }

  /// Skips data. A null has the length -1.
  void skip_data() noexcept { skip_bytes(-1); }

  void skip_strings() noexcept {
    const auto count = read_int();
    if (count < 0) good_ = false;
    for (std::int32_t i = 0; i < count && good_; ++i)
      skip_string();
  }

 private:
  bool take(std::size_t size) noexcept {
    good_ = good_ && rest_.size() >= size;
    return good_;
  }

  std::uint64_t read(std::size_t size) noexcept {
    if (!take(size)) return 0;
    std::uint64_t value = 0;
    for (const char each : rest_.substr(0, size))
      value = value << 8 | static_cast<unsigned char>(each);
    rest_.remove_prefix(size);
    return value;
  }

  std::string_view rest_;
  bool good_ = true;
};

} // namespace zklock::zookeeper
