#pragma once

#include <zklock/testing/node.hpp>

#include <cstdint>
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

  std::int32_t take_int();
  std::int64_t take_long();
  std::string_view take_string();
  node_stat take_stat();
  std::string_view rest() const { return in_; }

 private:
  std::string_view take(std::size_t size);

  std::string_view in_;
};

} // namespace zklock::testing
