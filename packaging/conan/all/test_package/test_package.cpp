#include <zklock/client.hpp>
#include <zklock/mutex.hpp>

#include <boost/asio/io_context.hpp>

#include <iostream>

int main() {
  boost::asio::io_context io;
  zklock::client client(io, {.servers = "127.0.0.1:1"});
  zklock::mutex mutex(client, "/locks/package");
  std::cout << mutex.path() << std::endl;
}
