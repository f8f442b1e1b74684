// ZooKeeper servers for the benchmarks:
//
//   bench_servers SIZE [KIND]
//   bench_servers to ADDRESS
//
// Starts a server or an ensemble of SIZE, prints the connection string, and stops the servers
// when the standard input ends. With the kind fsync, each write is on the disk before it is
// confirmed. With network, each message between clients and servers, and between servers, takes
// 0.5 ms: the connection string has the leader only, and a further line the addresses without that
// delay. With failover, the line kill ends the leader, and the line start starts it again. With
// tls, the server has a secure port, too: further lines have its address, the certificate of the
// authority, and a certificate with its key for clients.
//
// With to, starts no server, but prints an address that leads to the address by the same network as
// that of the kind network.

#include <zklock/testing/authority.hpp>
#include <zklock/testing/ensemble.hpp>
#include <zklock/testing/relay.hpp>
#include <zklock/testing/server.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

namespace {

// Of a message, by the kind network.
constexpr auto network_time = 500us;

zklock::testing::server_options options(bool fsync) {
  zklock::testing::server_options chosen;
  // The default of production servers, and the tick that clients assume.
  chosen.tick_time = 2s;
  // Thousands of waiters with long names make large replies.
  chosen.heap = 1024;
  chosen.start_timeout = 60s;
  chosen.java_options = {"-XX:TieredStopAtLevel=4"};
  if (fsync) chosen.system_properties.emplace_back("zookeeper.forceSync=yes");
  return chosen;
}

// Returns the servers' direct addresses: a relay would add to the measured time.
std::string addresses(zklock::testing::ensemble& servers) {
  std::string list;
  for (std::size_t i = 0; i < servers.size(); ++i)
    list += (i == 0 ? "" : ",") + servers[i].direct_address();
  return list;
}

// The address that the library tells is that of a relay.
std::string secure_address(const zklock::testing::server& server) {
  const auto settings = server.four_letter_word("conf");
  const std::string name = "secureClientPort=";
  const auto at = settings.find(name);
  if (at == settings.npos) throw std::runtime_error("the server does not tell its secure port");
  const auto begin = at + name.size();
  return "127.0.0.1:" + settings.substr(begin, settings.find('\n', begin) - begin);
}

void serve(const std::string& where) {
  std::cout << where << std::endl;
  for (std::string line; std::getline(std::cin, line);) {}
}

void serve_network_to(const std::string& address) {
  zklock::testing::relay network(address, {.frames = false});
  network.delay(zklock::testing::direction::to_server, network_time);
  network.delay(zklock::testing::direction::to_client, network_time);
  serve(network.address());
}

// The line kill ends the leader, and prints the time of the kill in nanoseconds. Each other line
// starts the server again.
void serve_failovers(zklock::testing::ensemble& servers) {
  std::cout << addresses(servers) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "kill") {
      auto& leader = servers.leader();
      const auto now = std::chrono::steady_clock::now().time_since_epoch();
      leader.kill();
      std::cout << std::chrono::nanoseconds(now).count() << std::endl;
    } else {
      servers.start();
      std::cout << "serving" << std::endl;
    }
  }
}

} // namespace

int main(int argc, char** argv) try {
  const std::string last = argc > 1 ? argv[argc - 1] : "";
  const bool is_way = argc > 2 && argv[1] == std::string("to");
  const std::size_t size = argc > 1 && !is_way ? std::stoul(argv[1]) : 1;
  if (is_way) {
    serve_network_to(last);
  } else if (last == "tls") {
    zklock::testing::authority authority;
    const auto certificate = authority.issue({.hosts = {"127.0.0.1"}}).both;
    auto secured = options(false);
    secured.tls = {.certificate = certificate, .authorities = authority.certificate()};
    const zklock::testing::server server(secured);
    serve(server.direct_address() + '\n' + secure_address(server) + '\n' +
          authority.certificate().string() + '\n' + certificate.string());
  } else if (size == 1) {
    const zklock::testing::server server(options(last == "fsync"));
    serve(server.direct_address());
  } else {
    zklock::testing::ensemble servers(size, options(last == "fsync"));
    if (last == "failover") {
      serve_failovers(servers);
    } else if (last == "network") {
      servers.delay(network_time);
      serve(servers.leader().address() + '\n' + addresses(servers));
    } else {
      serve(addresses(servers));
    }
  }
} catch (const std::exception& e) {
  std::cerr << "bench_servers: " << e.what() << '\n';
  return 1;
}
