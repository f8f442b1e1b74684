// observer::state_changed and client::state: the states of the connection.
#include "observer/observing.hpp"
#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(connection_states, observed_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(states_follow_the_connection_and_the_session) {
  run(io, [&]() -> asio::awaitable<void> {
    BOOST_TEST((zk.state() == connection_state::connecting));
    co_await connected();
    BOOST_TEST((zk.state() == connection_state::connected));
    door.refuse();
    co_await reported(1);
    expect({"suspended"});
    BOOST_TEST((zk.state() == connection_state::suspended));
    door.heal();
    co_await reported(1);
    expect({"reconnected"});
    BOOST_TEST((zk.state() == connection_state::reconnected));
    BOOST_TEST(zk.connected());
    BOOST_TEST(zk.stats().reconnects == 1u);
    BOOST_TEST(zk.stats().session_expiries == 0u);
    shared_server().expire(zk.session_id());
    co_await reported(3);
    expect({"suspended", "lost", "connected"});
    const auto after = zk.stats();
    BOOST_TEST(after.reconnects == 1u);
    BOOST_TEST(after.session_expiries == 1u);
    BOOST_TEST((after.state == connection_state::connected));
    co_await zk.close();
    co_await reported(1);
    expect({"closed"});
    BOOST_TEST((zk.stats().state == connection_state::closed));
    const auto again = std::get<0>(co_await zk.close(as_result));
    BOOST_TEST((again == errc::closed));
    expect({});
  });
}

BOOST_AUTO_TEST_CASE(client_that_cannot_go_on_is_closed) {
  run(io, [&]() -> asio::awaitable<void> { co_await connected(); });
  auto options = observing(shared_server().address(), seen);
  options.credentials = {{.scheme = "unknown", .secret = "x"}};
  client refused(io, options);
  run_until(io, [&] { return seen->has("closed"); });
  BOOST_TEST((refused.state() == connection_state::closed));
  const auto all = seen->taken();
  BOOST_TEST_REQUIRE(!all.empty());
  BOOST_TEST(all.back() == "closed");
  // That it is closed by the program, too, changes nothing.
  run(io, [&]() -> asio::awaitable<void> { co_await refused.close(as_result); });
  expect({});
}

BOOST_AUTO_TEST_SUITE_END()
