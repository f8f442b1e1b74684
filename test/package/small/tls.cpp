// Asks for TLS, and prints how a zklock without TLS refuses it.

#include <zklock/client.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <iostream>

int main() {
  boost::asio::io_context io;
  try {
    zklock::client client(io, {.servers = "127.0.0.1:1", .tls = zklock::tls_options{}});
  } catch (const boost::system::system_error& refused) {
    std::cout << refused.what() << '\n';
  }
}
