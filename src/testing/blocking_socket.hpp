#pragma once

#include "testing/system_call.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing {

/// A TCP connection. Each function blocks until its deadline at most. Throws `error`.
///
/// Not `tcp::iostream`: a signal handler of the program would interrupt its waits.
class blocking_socket {
 public:
  blocking_socket(const std::string& address, deadline until);

  void write(std::string_view bytes, deadline until);

  /// Reads exactly `size` bytes.
  std::string read(std::size_t size, deadline until);

  /// Reads until the end of the stream.
  std::string read_all(deadline until);

  /// Blocks until there are bytes or the end of the stream. Returns false at the deadline.
  bool wait_readable(deadline until);

 private:
  /// Calls `start` with a handler, which starts an operation. Returns the result of the operation;
  /// nothing at the deadline.
  template <class Start>
  std::optional<boost::system::error_code> run(deadline until, Start start);

  /// Like `run`, but throws `error` at the deadline.
  template <class Start>
  boost::system::error_code finish(deadline until, Start start);

  void expect_success(const boost::system::error_code& ec) const;

  std::string address_;
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::socket socket_{context_};
};

} // namespace zklock::testing
