#include "testing/frame_reader.hpp"

#include "testing/jute.hpp"

namespace zklock::testing {
namespace {

// The four-letter words are greater than this when read as a length, and no frame is.
constexpr std::uint32_t longest_frame = 64 * 1024 * 1024;

operation kind_of_special(std::int32_t xid) {
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

operation open_requests::answered(std::int32_t xid) {
  operation special = kind_of_special(xid);
  if (special != operation::unknown) return special;
  while (!open_.empty()) {
    auto [asked_xid, kind] = open_.front();
    open_.pop_front();
    if (asked_xid == xid) return kind;
  }
  return operation::unknown;
}

void frame_reader::append(std::string_view bytes) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_.append(bytes);
}

std::optional<frame_reader::piece> frame_reader::next() {
  if (foreign_) return {};
  std::string_view left = std::string_view(buffer_).substr(begin_);
  if (left.size() < 4) return {};
  std::uint32_t length = static_cast<std::uint32_t>(jute_reader(left).take_int());
  if (length > longest_frame) {
    foreign_ = true;
    return {};
  }
  if (left.size() < 4 + std::size_t{length}) return {};
  begin_ += 4 + std::size_t{length};
  return piece{parse(left.substr(4, length)), left.substr(0, 4 + std::size_t{length})};
}

std::string_view frame_reader::rest() {
  std::string_view all = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  return all;
}

frame frame_reader::parse(std::string_view bytes) {
  frame one{.way = way_, .bytes = bytes};
  jute_reader in(bytes);
  if (std::exchange(first_, false)) return one;
  if (way_ == direction::to_server) {
    if (bytes.size() < 8) {
      one.kind = operation::unknown;
      return one;
    }
    one.xid = in.take_int();
    one.kind = static_cast<operation>(in.take_int());
    if (kind_of_special(one.xid) == operation::unknown) open_->asked(one.xid, one.kind);
    return one;
  }
  if (bytes.size() < 16) {
    one.kind = operation::unknown;
    return one;
  }
  one.xid = in.take_int();
  one.zxid = in.take_long();
  one.error = in.take_int();
  one.kind = open_->answered(one.xid);
  return one;
}

} // namespace zklock::testing
