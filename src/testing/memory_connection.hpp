#pragma once

#include "testing/memory/watch_table.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <memory>
#include <string>

namespace zklock::testing {

class memory_listener;

/// A connection of a server in memory.
class memory_connection : public std::enable_shared_from_this<memory_connection> {
 public:
  memory_connection(memory_listener& owner, boost::asio::ip::tcp::socket client,
                    memory::connection_id number);

  void read();
  void send(std::string bytes);

  /// Closes the connection. A server does not wait for a client: bytes are lost if the client has
  /// not read the bytes before them. The owner can be gone afterwards.
  void close();

 private:
  void write();

  memory_listener* owner_;
  boost::asio::ip::tcp::socket client_;
  memory::connection_id number_;
  std::array<char, 65536> in_;
  /// The bytes that the kernel has not taken.
  std::string unsent_;
  bool waiting_ = false;
};

} // namespace zklock::testing
