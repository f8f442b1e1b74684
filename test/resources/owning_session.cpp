// A session that owns as much as it may, while the leader changes.
#include <zklock/testing/ensemble.hpp>

#include "client/node_path.hpp"
#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr std::size_t most = std::size_t{900} * 1024;
constexpr std::size_t path_size = 1900;

struct owning_scene {
  std::string path_of(std::size_t number) const {
    const auto begin = "/owned-" + std::to_string(number) + "-";
    return begin + std::string(path_size - begin.size(), 'p');
  }

  std::size_t granted() {
    const std::lock_guard guard(holds_mutex);
    return holds.size();
  }

  testing::ensemble servers;
  background context;
  std::mutex holds_mutex;
  std::vector<hold> holds;
  std::size_t failed = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(owning_session, owning_scene, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(session_at_its_limit_loses_nothing_when_the_leader_is_killed) {
  auto options = options_for(servers.addresses(), 30s);
  options.max_path_bytes = most;
  options.check_interval = 1s;
  options.log = [](auto, auto) {};
  client zk(context.io, options);
  // More locks than fit: the rest waits for room.
  constexpr std::size_t locks = 600;
  for (std::size_t i = 0; i < locks; ++i)
    zklock::mutex(zk, path_of(i)).acquire(240s, [&](error_code error, hold got) {
      const std::lock_guard guard(holds_mutex);
      if (error)
        ++failed;
      else
        holds.push_back(std::move(got));
    });
  constexpr std::size_t owned = most / (path_size + detail::entry_name_bytes);
  wait_until([&] { return granted() == owned; }, 120s);
  const auto session = zk.session_id();

  for (int kills = 0; kills < 2; ++kills) {
    auto& leader = servers.leader();
    leader.kill();
    servers.leader();
    wait_until([&] { return zk.connected(); });
    // The new leader has received a request of the session.
    const auto proven = boot_clock::now() + zk.session_timeout();
    wait_until([&] {
      const std::lock_guard guard(holds_mutex);
      return std::all_of(holds.begin(), holds.end(),
                         [&](const auto& each) { return each.valid_until() >= proven; });
    });
    BOOST_TEST(zk.session_id() == session);
    BOOST_TEST(granted() == owned);
    leader.start();
    servers.wait_until_serving();
  }
  testing::raw_client witness(servers.leader().direct_address());
  {
    const std::lock_guard guard(holds_mutex);
    for (const auto& each : holds)
      BOOST_TEST(witness.exists(each.node()).has_value());
  }
  // The rest is granted as room is made.
  std::size_t released = 0;
  wait_until(
      [&] {
        const std::lock_guard guard(holds_mutex);
        released += holds.size();
        holds.clear();
        return released + failed == locks;
      },
      120s);
  BOOST_TEST(failed == 0u);
  BOOST_TEST(released == locks);
  get(zk.close(asio::use_future));
  for (const std::size_t i : {std::size_t{0}, locks / 2, locks - 1})
    wait_until([&] { return entries(witness, path_of(i)) == 0; });
}

BOOST_AUTO_TEST_SUITE_END()
