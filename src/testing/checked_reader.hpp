#pragma once

#include <zklock/testing/error.hpp>

#include "support/jute_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing {

/// Reads values in Jute, ZooKeeper's encoding. Throws `error` at the end of the bytes.
class checked_reader {
 public:
  explicit checked_reader(std::string_view bytes) noexcept : in_(bytes) {}

  bool take_bool() { return checked(in_.read_bool()); }
  std::int32_t take_int() { return checked(in_.read_int()); }
  std::int64_t take_long() { return checked(in_.read_long()); }

  /// Reads a text; an empty text if it is null.
  std::string_view take_string() { return checked(in_.read_buffer()).value_or(std::string_view()); }

  /// Reads data; nothing if it is null.
  std::optional<std::string> take_buffer() {
    const auto data = checked(in_.read_buffer());
    return data ? std::optional<std::string>(*data) : std::nullopt;
  }

  std::string_view rest() const noexcept { return in_.rest(); }

 private:
  template <class Value>
  Value checked(Value value) const {
    if (!in_.good()) throw error("a frame is truncated");
    return value;
  }

  detail::jute_reader in_;
};

} // namespace zklock::testing
