// The data of the node with the limit of a semaphore.
#include "client/permit_limit.hpp"
#include "fuzz.hpp"

#include <cstdint>

using zklock::fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zklock::zookeeper::reply node;
  node.data = {reinterpret_cast<const char*>(data), size};
  const auto limit = zklock::detail::parse_permit_limit(node);
  const bool is_number = size == 4 && data[0] < 0x80;
  require(limit.has_value() == is_number, "four bytes below 2^31 are a limit, and nothing else is");
  for (std::size_t i = 0; limit && i < 4; ++i)
    require((*limit >> (24 - 8 * i) & 0xff) == data[i], "the limit has another byte");
  node.result = zklock::zookeeper::status::no_node;
  require(!zklock::detail::parse_permit_limit(node), "a missing node has a limit");
  return 0;
}
