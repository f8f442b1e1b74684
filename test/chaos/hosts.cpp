#include "chaos/hosts.hpp"

#include <zklock/testing/error.hpp>

#include <algorithm>
#include <iterator>

namespace chaos {
namespace {

namespace testing = zklock::testing;

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-ec", script};
}

void run(std::vector<std::string> command, const std::string& what) {
  testing::child_process child({.command = std::move(command)});
  if (child.wait() != 0) throw testing::error(what + " fails: " + child.how_it_ended());
}

std::string interface_of(std::size_t host) {
  return "host" + std::to_string(host);
}

} // namespace

bool hosts::are_permitted() {
  try {
    testing::child_process child({.command = {"unshare", "--net", "--mount", "/bin/sh", "-ec",
                                              "ip link add probe type bridge\n"
                                              "ip link add one type veth peer name other\n"
                                              "tc qdisc replace dev one root tbf rate 1mbit "
                                              "burst 3000 latency 1s\n"
                                              "iptables -A INPUT -p tcp -s 10.77.0.1 -j REJECT "
                                              "--reject-with tcp-reset\n"
                                              "command -v nsenter"},
                                  .log = "/dev/null"});
    return child.wait() == 0;
  } catch (const testing::error&) {
    return false;
  }
}

hosts::hosts(std::size_t servers, std::size_t clients) : servers_(servers) {
  run(shell("ip link set lo up\n"
            "ip link add bridge type bridge\n"
            "ip address add 10.77.2.1/16 dev bridge\n"
            "ip link set bridge up"),
      "making a network");
  for (std::size_t i = 0; i < servers + clients; ++i)
    add(i);
}

void hosts::add(std::size_t host) {
  auto& keeper = keepers_.emplace_back(testing::child_options{
      .command = {"unshare", "--net", "/bin/sh", "-c", "echo ready; read -r line"}, .piped = true});
  keeper.read_line();
  const auto outer = interface_of(host);
  run(shell("ip link add " + outer + " type veth peer name eth0 netns " +
            std::to_string(keeper.id()) + "\nip link set " + outer + " master bridge up"),
      "connecting a host");
  run_in(host, "ip link set lo up\nip address add " + address(host) +
                   "/16 dev eth0\nip link set eth0 up");
}

std::string hosts::address(std::size_t host) const {
  return host < servers_ ? "10.77.0." + std::to_string(host + 1)
                         : "10.77.1." + std::to_string(host - servers_ + 1);
}

std::vector<std::string> hosts::command_in(std::size_t host,
                                           std::vector<std::string> command) const {
  std::vector<std::string> all{"nsenter",
                               "--net=/proc/" + std::to_string(keepers_.at(host).id()) + "/ns/net"};
  std::move(command.begin(), command.end(), std::back_inserter(all));
  return all;
}

void hosts::run_in(std::size_t host, const std::string& script) const {
  run(command_in(host, shell(script)), "changing the network of a host");
}

void hosts::cut(std::size_t host, const std::string& others, testing::cut how) const {
  const std::string end =
      how == testing::cut::silent ? " -j DROP\n" : " -p tcp -j REJECT --reject-with tcp-reset\n";
  // -w: the two tracks of clients must not collide.
  run_in(host, "iptables -w -A INPUT -i eth0 -s " + others + end +
                   "iptables -w -A OUTPUT -o eth0 -d " + others + end);
}

void hosts::slow_down(std::size_t host, std::chrono::milliseconds delay) const {
  const auto time = std::to_string(delay.count()) + "ms";
  // Less than a busy host sends, so that its packets wait: a client sends 60 to 250 kbit/s, a
  // server some megabits. The burst has room for a whole packet.
  const std::string rate = host < servers_ ? "256kbit" : "32kbit";
  // Not every kernel has netem.
  run_in(host, "tc qdisc replace dev eth0 root netem delay " + time +
                   " 2>/dev/null || tc qdisc replace dev eth0 root tbf rate " + rate +
                   " burst 1600 latency " + time);
}

void hosts::heal(std::size_t host) const {
  run_in(host, "iptables -w -F\ntc qdisc delete dev eth0 root 2>/dev/null || true");
}

} // namespace chaos
