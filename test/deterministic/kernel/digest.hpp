#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace deterministic {

/// A number that tells histories apart.
class digest {
 public:
  void add(std::uint64_t number) noexcept {
    value_ = (value_ ^ number) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 29;
  }

  void add(const void* bytes, std::size_t size) noexcept {
    const char* from = static_cast<const char*>(bytes);
    for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
      std::uint64_t part;
      std::memcpy(&part, from, sizeof part);
      add(part);
      from += sizeof part;
    }
    std::uint64_t rest = size;
    std::memcpy(&rest, from, size);
    add(rest);
  }

  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

} // namespace deterministic
