#pragma once

#include <cstdint>
#include <optional>

namespace bench {

/// Counts the instructions that this process and its later threads run outside the kernel, where
/// the processor and the kernel's settings permit that.
class instruction_counter {
 public:
  instruction_counter();
  instruction_counter(const instruction_counter&) = delete;
  instruction_counter& operator=(const instruction_counter&) = delete;
  ~instruction_counter();

  void start();

  /// Returns the number since `start`, or nothing where they cannot be counted.
  std::optional<std::uint64_t> stop();

 private:
  int descriptor_;
};

} // namespace bench
