// A ZooKeeper server at the port that the guides name, until the standard input ends.
#include <zklock/testing/server.hpp>

#include <iostream>

int main() {
  zklock::testing::server zookeeper({.port = 2181});
  std::cout << "ready" << std::endl;
  std::cin.get();
}
