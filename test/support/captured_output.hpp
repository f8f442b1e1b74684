#pragma once

#include "support/unique_descriptor.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

namespace zklock::test {

/// Captures standard output and standard error.
class captured_output {
 public:
  captured_output() {
    flush();
    for (int i = 0; i < 2; ++i)
      ::dup2(file_.get(), i + 1);
  }
  ~captured_output() { restore(); }

  captured_output(const captured_output&) = delete;
  captured_output& operator=(const captured_output&) = delete;

  void restore() {
    if (std::exchange(restored_, true)) return;
    flush();
    for (int i = 0; i < 2; ++i)
      ::dup2(saved_[static_cast<std::size_t>(i)].get(), i + 1);
  }

  std::string text() const {
    std::string result(static_cast<std::size_t>(::lseek(file_.get(), 0, SEEK_END)), '\0');
    if (::pread(file_.get(), result.data(), result.size(), 0) < 0)
      return "cannot read the captured output";
    return result;
  }

 private:
  static void flush() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
  }

  static detail::unique_descriptor duplicate(int descriptor) {
    return detail::unique_descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
  }

  detail::unique_descriptor file_{::memfd_create("output", MFD_CLOEXEC)};
  std::array<detail::unique_descriptor, 2> saved_{duplicate(1), duplicate(2)};
  bool restored_ = false;
};

} // namespace zklock::test
