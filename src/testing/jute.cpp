#include "testing/jute.hpp"

#include <zklock/testing/error.hpp>

#include <boost/endian/conversion.hpp>

#include <cstring>

namespace zklock::testing {
namespace {

// The length of a null.
constexpr std::int32_t null_size = -1;

template <typename Integer>
void append(std::string& out, Integer value) {
  boost::endian::native_to_big_inplace(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename Integer>
Integer load(std::string_view bytes) {
  Integer value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return boost::endian::big_to_native(value);
}

} // namespace

void jute_writer::put_int(std::int32_t value) {
  append(out_, value);
}

void jute_writer::put_long(std::int64_t value) {
  append(out_, value);
}

void jute_writer::put_string(std::string_view value) {
  put_int(static_cast<std::int32_t>(value.size()));
  out_.append(value);
}

void jute_writer::put_buffer(const std::optional<std::string>& value) {
  if (value)
    put_string(*value);
  else
    put_int(null_size);
}

void jute_writer::put_stat(const node_stat& stat) {
  put_long(stat.czxid);
  put_long(stat.mzxid);
  put_long(stat.ctime);
  put_long(stat.mtime);
  put_int(stat.version);
  put_int(stat.cversion);
  put_int(stat.aversion);
  put_long(stat.ephemeral_owner);
  put_int(stat.data_length);
  put_int(stat.num_children);
  put_long(stat.pzxid);
}

std::string jute_writer::framed() const {
  jute_writer frame;
  frame.put_string(out_);
  return frame.out_;
}

std::int32_t jute_reader::take_int() {
  return load<std::int32_t>(take(4));
}

std::int64_t jute_reader::take_long() {
  return load<std::int64_t>(take(8));
}

std::string_view jute_reader::take_string() {
  std::int32_t size = take_int();
  return size < 0 ? std::string_view() : take(static_cast<std::size_t>(size));
}

std::optional<std::string> jute_reader::take_buffer() {
  if (jute_reader(in_).take_int() < 0) {
    take_int();
    return {};
  }
  return std::string(take_string());
}

node_stat jute_reader::take_stat() {
  node_stat stat;
  stat.czxid = take_long();
  stat.mzxid = take_long();
  stat.ctime = take_long();
  stat.mtime = take_long();
  stat.version = take_int();
  stat.cversion = take_int();
  stat.aversion = take_int();
  stat.ephemeral_owner = take_long();
  stat.data_length = take_int();
  stat.num_children = take_int();
  stat.pzxid = take_long();
  return stat;
}

std::string_view jute_reader::take(std::size_t size) {
  if (in_.size() < size) throw error("a frame is truncated");
  std::string_view taken = in_.substr(0, size);
  in_.remove_prefix(size);
  return taken;
}

} // namespace zklock::testing
