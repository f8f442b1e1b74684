#include "zookeeper/frame_buffer.hpp"

#include <algorithm>

namespace zklock::zookeeper {

namespace {

constexpr std::size_t usual_size = 16 * 1024;

} // namespace

std::span<char> frame_buffer::prepare() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    // Frees the memory of a large frame. An assignment of {} would keep it.
    if (data_.size() > 4 * usual_size) data_ = std::vector<char>();
  }
  if (end_ == data_.size() && begin_ >= data_.size() / 2 && begin_ != 0) {
    std::copy(data_.begin() + static_cast<std::ptrdiff_t>(begin_), data_.end(), data_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == data_.size()) data_.resize(std::max(usual_size, 2 * data_.size()));
  return std::span(data_).subspan(end_);
}

std::optional<std::int32_t> frame_buffer::length() const noexcept {
  if (end_ - begin_ < frame_length_size) return std::nullopt;
  std::uint32_t length = 0;
  for (const char each : bytes().substr(0, frame_length_size))
    length = length << 8 | static_cast<unsigned char>(each);
  return static_cast<std::int32_t>(length);
}

std::string_view frame_buffer::frame() const noexcept {
  const auto announced = length();
  if (!announced) return {};
  const auto size = frame_length_size + static_cast<std::size_t>(*announced);
  return bytes().size() < size ? std::string_view{} : bytes().substr(0, size);
}

void frame_buffer::consume(std::size_t size) noexcept {
  begin_ += size;
}

} // namespace zklock::zookeeper
