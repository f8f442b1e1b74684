#pragma once

#include <zklock/testing/node.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing {

/// Writes values in Jute, ZooKeeper's encoding: big-endian, strings after their length.
class jute_writer {
 public:
  void put_bool(bool value) { out_.push_back(value ? '\1' : '\0'); }
  void put_int(std::int32_t value);
  void put_long(std::int64_t value);
  void put_string(std::string_view value);
  /// Writes bytes that can be null.
  void put_buffer(const std::optional<std::string>& value);
  void put_stat(const node_stat& stat);
  void put_raw(std::string_view bytes) { out_.append(bytes); }

  /// Returns the written bytes.
  const std::string& bytes() const { return out_; }

  /// Returns the written bytes as a frame, after their length.
  std::string framed() const;

 private:
  std::string out_;
};

/// Reads values in Jute. Throws `error` at the end of the bytes.
class jute_reader {
 public:
  explicit jute_reader(std::string_view bytes) : in_(bytes) {}

  bool take_bool() { return take(1).front() != '\0'; }
  std::int32_t take_int();
  std::int64_t take_long();
  std::string_view take_string();
  /// Reads bytes that can be null.
  std::optional<std::string> take_buffer();
  node_stat take_stat();
  std::string_view rest() const { return in_; }

 private:
  std::string_view take(std::size_t size);

  std::string_view in_;
};

} // namespace zklock::testing
