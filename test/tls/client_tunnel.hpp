#pragma once

#include "testing/port_reservation.hpp"
#include "tunnel.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zklock::test {

/// stunnel on the side of the clients, with examples/tls/clients.conf.
class client_tunnel {
 public:
  /// `targets` are the ports of up to three servers; nothing listens behind the remaining services.
  client_tunnel(const certificates& made, const std::vector<std::uint16_t>& targets,
                settings others = {})
      : tunnel_(configure(made, targets, std::move(others))), servers_(targets.size()) {}

  /// The list of servers for a client.
  std::string addresses() const {
    std::string list;
    for (std::size_t i = 0; i < servers_; ++i)
      list += (i == 0 ? "" : ",") + here(ports_[i].port());
    return list;
  }

  bool says(const std::string& text) const { return tunnel_.says(text); }
  std::string log() const { return tunnel_.log(); }

 private:
  static std::string here(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

  std::string configure(const certificates& made, const std::vector<std::uint16_t>& targets,
                        settings values) const {
    values.emplace("CAfile", made("ca.pem"));
    values.emplace("cert", made("client.pem"));
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const auto service = "zk" + std::to_string(i + 1) + '.';
      values[service + "accept"] = here(ports_[i].port());
      values[service + "connect"] = here(i < targets.size() ? targets[i] : unused_.port());
    }
    return with_settings("clients.conf", std::move(values));
  }

  std::array<testing::port_reservation, 3> ports_;
  testing::port_reservation unused_;
  tunnel tunnel_;
  std::size_t servers_;
};

/// stunnel in front of a ZooKeeper server, with examples/tls/server.conf.
class server_tunnel {
 public:
  server_tunnel(const certificates& authority, const std::string& certificate, std::uint16_t target)
      : tunnel_(with_settings("server.conf",
                              {{"CAfile", authority("ca.pem")},
                               {"cert", certificate},
                               {"zookeeper.accept", "127.0.0.1:" + std::to_string(port_.port())},
                               {"zookeeper.connect", "127.0.0.1:" + std::to_string(target)}})) {}

  std::uint16_t port() const { return port_.port(); }
  bool says(const std::string& text) const { return tunnel_.says(text); }
  std::string log() const { return tunnel_.log(); }

 private:
  testing::port_reservation port_;
  tunnel tunnel_;
};

} // namespace zklock::test
