// Constructs each class of zklock::testing that takes or gives containers.

#include <zklock/testing.hpp>

namespace zt = zklock::testing;

int main() {
  zt::server server;
  zt::ensemble ensemble;
  zt::memory_server memory;
}
