#pragma once

#include "deterministic/kernel/file.hpp"

#include <cstdint>

namespace deterministic {

/// The file of eventfd().
class event_file final : public file {
 public:
  event_file(process* owner, std::uint64_t value) noexcept : file(owner), value_(value) {}

  std::uint32_t ready() const override;
  ssize_t read(void* to, std::size_t size) override;
  ssize_t write(const void* from, std::size_t size) override;

 private:
  std::uint64_t value_;
};

} // namespace deterministic
