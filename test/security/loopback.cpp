// The addresses that the servers and relays of zklock::testing listen on.
#include <zklock/testing/ensemble.hpp>
#include <zklock/testing/memory_server.hpp>

#include "support/world.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

namespace fs = std::filesystem;

/// The inodes of a process' sockets.
std::set<std::string> sockets_of(pid_t process) {
  std::set<std::string> found;
  for (const auto& each : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    std::error_code gone;
    const auto target = fs::read_symlink(each.path(), gone).string();
    constexpr std::string_view begin = "socket:[";
    if (target.starts_with(begin))
      found.insert(target.substr(begin.size(), target.size() - begin.size() - 1));
  }
  return found;
}

/// The local addresses that a process listens on, as the kernel writes them: `0100007F:0885`. UDP
/// sockets have no listeners: each UDP socket counts.
std::vector<std::string> listeners_of(pid_t process) {
  const auto own = sockets_of(process);
  std::vector<std::string> found;
  const auto base = "/proc/" + std::to_string(process) + "/net/";
  for (const std::string table : {"tcp", "tcp6", "udp", "udp6"}) {
    std::ifstream file(base + table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
      fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
          timeout >> inode;
      const bool listens = state == "0A" || table.starts_with("udp");
      if (listens && own.contains(inode)) found.push_back(local);
    }
  }
  return found;
}

// 127.0.0.1, also as an IPv6 address, in the order of the bytes of this machine.
bool is_loopback(const std::string& local) {
  const auto address = local.substr(0, local.find(':'));
  return address == "0100007F" || address == "0000000000000000FFFF00000100007F";
}

void check_all(pid_t process, std::size_t least) {
  const auto all = listeners_of(process);
  BOOST_TEST(all.size() >= least);
  for (const auto& each : all)
    BOOST_TEST(is_loopback(each), each << " is not on the loopback interface only");
}

} // namespace

BOOST_AUTO_TEST_SUITE(loopback, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(standalone_server_listens_on_loopback_only) {
  // For clients.
  check_all(shared_server().process_id(), 1);
}

BOOST_AUTO_TEST_CASE(members_of_an_ensemble_listen_on_loopback_only) {
  testing::ensemble servers(3);
  const auto& leader = servers.leader();
  for (std::size_t i = 0; i < servers.size(); ++i)
    // For clients and for the election; the leader also for its followers.
    check_all(servers[i].process_id(), &servers[i] == &leader ? 3 : 2);
  // The relays, in this process: for the clients of each server, and between the servers.
  check_all(::getpid(), servers.size());
}

BOOST_AUTO_TEST_CASE(server_in_memory_listens_on_loopback_only) {
  const auto others = listeners_of(::getpid()).size();
  const testing::memory_server server;
  check_all(::getpid(), others + 1);
}

// The tests above rely on this: a socket that listens on all addresses is found.
BOOST_AUTO_TEST_CASE(listener_on_all_addresses_is_found) {
  asio::io_context io;
  for (const auto& protocol : {asio::ip::tcp::v4(), asio::ip::tcp::v6()}) {
    const asio::ip::tcp::acceptor open(io, {protocol, 0});
    const auto all = listeners_of(::getpid());
    BOOST_TEST(
        std::any_of(all.begin(), all.end(), [](const auto& each) { return !is_loopback(each); }));
  }
}

BOOST_AUTO_TEST_SUITE_END()
