#include "testing/frame_reader.hpp"

#include "testing/checked_reader.hpp"

namespace zklock::testing {
namespace {

// No frame is longer. A four-letter word, read as a length, is greater.
constexpr std::uint32_t longest_frame = 64 * 1024 * 1024;

operation kind_of_special_xid(std::int32_t xid) {
  switch (xid) {
  case -1:
    return operation::notification;
  case -2:
    return operation::ping;
  case -4:
    return operation::auth;
  case -8:
    return operation::set_watches;
  default:
    return operation::unknown;
  }
}

} // namespace

operation outstanding_requests::take(std::int32_t xid) {
  operation special = kind_of_special_xid(xid);
  if (special != operation::unknown) return special;
  while (!requests_.empty()) {
    auto [request_xid, kind] = requests_.front();
    requests_.pop_front();
    if (request_xid == xid) return kind;
  }
  return operation::unknown;
}

void frame_reader::append(std::string_view bytes) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_.append(bytes);
}

std::optional<frame_reader::piece> frame_reader::next() {
  if (raw_) return {};
  std::string_view left = std::string_view(buffer_).substr(begin_);
  if (left.size() < 4) return {};
  std::uint32_t length = static_cast<std::uint32_t>(checked_reader(left).take_int());
  if (length > longest_frame) {
    raw_ = true;
    return {};
  }
  if (left.size() < 4 + std::size_t{length}) return {};
  begin_ += 4 + std::size_t{length};
  return piece{parse(left.substr(4, length)), left.substr(0, 4 + std::size_t{length})};
}

std::string_view frame_reader::take_raw() {
  std::string_view all = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  return all;
}

frame frame_reader::parse(std::string_view bytes) {
  frame one{.way = way_, .bytes = bytes};
  checked_reader in(bytes);
  if (std::exchange(first_, false)) return one;
  if (way_ == direction::to_server) {
    if (bytes.size() < 8) {
      one.kind = operation::unknown;
      return one;
    }
    one.xid = in.take_int();
    one.kind = static_cast<operation>(in.take_int());
    if (kind_of_special_xid(one.xid) == operation::unknown) outstanding_->add(one.xid, one.kind);
    return one;
  }
  if (bytes.size() < 16) {
    one.kind = operation::unknown;
    return one;
  }
  one.xid = in.take_int();
  one.zxid = in.take_long();
  one.error = in.take_int();
  one.kind = outstanding_->take(one.xid);
  return one;
}

} // namespace zklock::testing
