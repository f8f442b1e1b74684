#include "testing/memory/frames.hpp"

#include <zklock/testing/error.hpp>

#include "testing/checked_reader.hpp"

#include <algorithm>
#include <cctype>

namespace zklock::testing::memory {
namespace {

constexpr std::size_t length_size = 4;
// The default of jute.maxbuffer.
constexpr std::int32_t longest_frame = 0xFFFFF;

} // namespace

std::optional<std::string> frame_splitter::next() {
  if (buffer_.size() < length_size) return {};
  const std::int32_t length = checked_reader(buffer_).take_int();
  if (length < 0 || length > longest_frame) throw error("a frame has an invalid length");
  const std::size_t end = length_size + static_cast<std::size_t>(length);
  if (buffer_.size() < end) return {};
  std::string frame = buffer_.substr(length_size, end - length_size);
  buffer_.erase(0, end);
  return frame;
}

std::optional<std::string> frame_splitter::four_letter_word() const {
  if (buffer_.size() < length_size) return {};
  std::string word = buffer_.substr(0, length_size);
  if (!std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
    return {};
  return word;
}

} // namespace zklock::testing::memory
