#pragma once

#include "testing/system_call.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace zklock::testing {

/// A TCP connection whose every function ends by a deadline. Throws `error`.
class blocking_socket {
 public:
  blocking_socket(const std::string& address, deadline until);
  ~blocking_socket();
  blocking_socket(const blocking_socket&) = delete;
  blocking_socket& operator=(const blocking_socket&) = delete;

  void write(std::string_view bytes, deadline until);

  /// Reads exactly `size` bytes.
  std::string read(std::size_t size, deadline until);

  /// Reads until the other side ends the stream.
  std::string read_all(deadline until);

  /// Waits for bytes, or the end of the stream; returns whether there are any.
  bool wait_readable(deadline until);

 private:
  void wait(short events, deadline until);
  std::size_t read_some(char* to, std::size_t size, deadline until);

  std::string address_;
  int socket_;
};

} // namespace zklock::testing
