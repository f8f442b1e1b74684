#pragma once

#include <zklock/testing/node.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::testing {

/// Writes values the way ZooKeeper has them on the wire: big-endian, strings behind their length.
class jute_writer {
 public:
  void put_bool(bool value) { out_.push_back(value ? '\1' : '\0'); }
  void put_int(std::int32_t value);
  void put_long(std::int64_t value);
  void put_string(std::string_view value);
  void put_raw(std::string_view bytes) { out_.append(bytes); }

  /// Returns what was written.
  const std::string& bytes() const { return out_; }

  /// Returns it behind its length: a frame.
  std::string framed() const;

 private:
  std::string out_;
};

/// Reads them. Throws `error` where the bytes end too early.
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
