#pragma once

#include <zklock/client.hpp>

#include "deterministic/kernel/kernel.hpp"
#include "simple_server.hpp"
#include "zookeeper/xid.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace deterministic {

using namespace std::chrono_literals;

/// A program with a client of the shipped library, and a server.
struct scene {
  explicit scene(std::uint64_t seed = 1, const std::string& servers = "10.0.0.1:2181",
                 std::size_t send_buffer = kernel_options{}.send_buffer)
      : linux_kernel({.seed = seed, .send_buffer = send_buffer, .trace = [this](const auto& line) {
                        story += line + '\n';
                      }}) {
    zklock::zookeeper::set_next_xid(1);
    linux_kernel.net().listen("10.0.0.1:2181", server);
    one = &linux_kernel.start("one");
    one->call([&] {
      client.emplace(one->context(), zklock::client_options{
                                         .servers = servers,
                                         .session_timeout = 6s,
                                         .log = [this](zklock::log_level, std::string_view line) {
                                           linux_kernel.trace([&] { return std::string(line); });
                                         }});
    });
  }
  ~scene() {
    one->call([this] { client.reset(); });
    linux_kernel.end(*one);
    BOOST_TEST(linux_kernel.faults().empty(), story);
  }

  bool connects(time_point limit = 10s) {
    return linux_kernel.run_until(linux_kernel.time().now() + limit,
                                  [this] { return client->connected(); });
  }

  std::string story;
  kernel linux_kernel;
  simple_server server;
  process* one = nullptr;
  std::optional<zklock::client> client;
};

} // namespace deterministic
