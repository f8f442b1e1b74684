// Servers that die or are cut off behind stunnel.
#include <zklock/testing/ensemble.hpp>

#include "client_tunnel.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>

using namespace zklock;
using namespace zklock::test;

namespace {

struct failover_scene {
  failover_scene() {
    std::vector<std::uint16_t> ports;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const auto host = "zk" + std::to_string(i + 1) + ".example.com";
      tunnels.push_back(
          std::make_unique<server_tunnel>(made, made(host + ".pem"), servers[i].port()));
      ports.push_back(tunnels.back()->port());
    }
    through.emplace(made, ports);
  }

  /// The server that the client is connected to.
  testing::server& used() {
    testing::server* found = nullptr;
    wait_until([&] {
      for (std::size_t i = 0; i < servers.size(); ++i)
        if (servers[i].running() && servers[i].clients().connections() == 1) found = &servers[i];
      return found != nullptr;
    });
    return *found;
  }

  background context;
  const certificates made{{"zk1.example.com", "zk2.example.com", "zk3.example.com"}};
  testing::ensemble servers;
  std::vector<std::unique_ptr<server_tunnel>> tunnels;
  std::optional<client_tunnel> through;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(failing_over, failover_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(hold_outlives_a_killed_server_and_one_cut_off) {
  client zk(context.io, options_for(through->addresses(), 10s));
  mutex lock(zk, "/locks/failing_over");
  hold held = get(lock.acquire(30s, asio::use_future));
  const auto session = zk.session_id();

  auto& first = used();
  first.kill();
  wait_until([&] { return !zk.connected(); });
  wait_until([&] { return zk.connected(); });
  BOOST_TEST(&used() != &first);
  first.start();
  servers.wait_until_serving();

  auto& second = used();
  second.cut_from_clients(testing::cut::silent);
  wait_until([&] { return !zk.connected(); });
  wait_until([&] { return zk.connected(); });
  second.heal();

  // The session went on, and the lock was never lost.
  BOOST_TEST(zk.session_id() == session);
  BOOST_TEST((held.state() != hold_state::lost));
  get(held.release(asio::use_future));
  held = get(lock.acquire(30s, asio::use_future));
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
