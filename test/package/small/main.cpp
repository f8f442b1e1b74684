// The smallest program that uses the library.

#include <zklock/client.hpp>

#include <boost/asio/io_context.hpp>

int main() {
  boost::asio::io_context io;
  zklock::client client(io, {.servers = "127.0.0.1:1"});
}
