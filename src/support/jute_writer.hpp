#pragma once

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::detail {

/// Writes values in Jute, ZooKeeper's encoding: big-endian numbers, and texts and data after their
/// length.
class jute_writer {
 public:
  void put_bool(bool value) { out_.push_back(value ? '\1' : '\0'); }
  void put_int(std::int32_t value) { put_number(value); }
  void put_long(std::int64_t value) { put_number(value); }

  void put_string(std::string_view value) {
    put_int(static_cast<std::int32_t>(value.size()));
    out_.append(value);
  }

  /// Writes text or data that can be null.
  void put_buffer(const std::optional<std::string>& value) {
    constexpr std::int32_t null_size = -1;
    if (value)
      put_string(*value);
    else
      put_int(null_size);
  }

  /// Appends encoded bytes.
  void put_raw(std::string_view bytes) { out_.append(bytes); }

  /// Returns the written bytes.
  const std::string& bytes() const noexcept { return out_; }

  /// Returns the written bytes after their length, as a frame of ZooKeeper's protocol.
  std::string framed() const {
    jute_writer frame;
    frame.put_string(out_);
    return frame.out_;
  }

 private:
  template <class Integer>
  void put_number(Integer value) {
    boost::endian::native_to_big_inplace(value);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string out_;
};

} // namespace zklock::detail
