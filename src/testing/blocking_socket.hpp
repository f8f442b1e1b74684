#pragma once

#include "testing/system_call.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing {

/// A TCP connection whose every function ends by a deadline. Throws `error`.
///
/// Not `tcp::iostream`: a signal that the program handles would end what it waits for.
class blocking_socket {
 public:
  blocking_socket(const std::string& address, deadline until);

  void write(std::string_view bytes, deadline until);

  /// Reads exactly `size` bytes.
  std::string read(std::size_t size, deadline until);

  /// Reads until the other side ends the stream.
  std::string read_all(deadline until);

  /// Waits for bytes, or the end of the stream; returns whether there are any.
  bool wait_readable(deadline until);

 private:
  /// Has `start` begin an operation, given its handler, and returns what that completes with;
  /// nothing where the deadline came first.
  template <class Start>
  std::optional<boost::system::error_code> run(deadline until, Start start);

  /// The same, and throws `error` at the deadline.
  template <class Start>
  boost::system::error_code finish(deadline until, Start start);

  void expect_success(const boost::system::error_code& ec) const;

  std::string address_;
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::socket socket_{context_};
};

} // namespace zklock::testing
