#pragma once

#include <zklock/testing/memory_server.hpp>
#include <zklock/testing/relay.hpp>

#include "testing/server_queries.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::test {

using namespace std::chrono_literals;

/// A server in memory with a relay before it: as much of the interface of `testing::server` as the
/// tests use that run on both.
class relayed_memory_server {
 public:
  explicit relayed_memory_server(const testing::memory_server_options& options)
      : server_(options) {}

  std::string address() const { return relay_.address(); }
  std::string direct_address() const { return server_.address(); }
  testing::relay& clients() { return relay_; }
  std::uint64_t requests(testing::operation kind) const { return relay_.requests(kind); }
  std::string four_letter_word(std::string_view word) const {
    return testing::query(direct_address(), word, testing::deadline(10s));
  }
  bool expire(std::int64_t session) { return server_.expire(session); }

 private:
  testing::memory_server server_;
  testing::relay relay_{server_.address()};
};

} // namespace zklock::test
