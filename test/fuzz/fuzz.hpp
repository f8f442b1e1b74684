#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// The entry point of a target: libFuzzer, or the program that replays the corpus, calls it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace zklock::fuzz {

/// Ends the process with this text unless the condition holds.
inline void require(bool holds, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(text.size()), text.data());
  std::abort();
}

/// Takes values from the bytes of an input. Behind the end all values are 0.
class input {
 public:
  input(const std::uint8_t* data, std::size_t size) noexcept
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const noexcept { return rest_.empty(); }

  template <class Integer>
  Integer take() noexcept {
    std::uint64_t value = 0;
    for (const char each : take_bytes(sizeof(Integer)))
      value = value << 8 | static_cast<unsigned char>(each);
    return static_cast<Integer>(value);
  }

  /// A number below the bound, which is at most 256.
  std::size_t below(std::size_t bound) noexcept { return take<std::uint8_t>() % bound; }

  bool one_of(std::size_t count) noexcept { return below(count) == count - 1; }

  /// At most so many bytes.
  std::string_view take_bytes(std::size_t count) noexcept {
    const auto taken = rest_.substr(0, std::min(count, rest_.size()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  /// A text behind its length, which is a byte.
  std::string_view text() noexcept { return take_bytes(take<std::uint8_t>()); }

  std::string_view rest() noexcept { return take_bytes(rest_.size()); }

 private:
  std::string_view rest_;
};

/// Whether a text has a character that acts on a terminal or ends a line.
inline bool has_control(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code == 0x7f;
  });
}

} // namespace zklock::fuzz
