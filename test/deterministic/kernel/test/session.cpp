// A session of the library, without a client, in simulated time.
#include "deterministic/kernel/kernel.hpp"
#include "simple_server.hpp"
#include "zookeeper/user.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>

using namespace deterministic;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(shipped_session)

// A server that does not know `list_own` ends the connection, and a newer server may take its place
// at any time.
BOOST_AUTO_TEST_CASE(list_that_a_server_does_not_know_is_tried_again_ever_less_often) {
  constexpr std::int32_t unimplemented = -6;
  constexpr std::int32_t no_node = -101;
  kernel linux_kernel;
  simple_server server;
  linux_kernel.net().listen("10.0.0.1:2181", server);
  process& one = linux_kernel.start("one");
  std::optional<zklock::test::user> self;
  one.call([&] {
    self.emplace(one.context(), "10.0.0.1:2181");
    self->start();
  });
  const auto lists = [&] { return one.call([&] { return self->session->lists_own(); }); };
  const auto list = [&](std::int32_t answer) {
    const auto before = server.accepted;
    server.error = answer;
    one.call([&] { self->session->send(zklock::zookeeper::list_own{}, *self, {1, 0}); });
    linux_kernel.run_for(5s);
    return server.accepted - before;
  };
  linux_kernel.run_for(5s);
  BOOST_TEST(lists());
  for (const auto pause : {1min, 2min, 4min}) {
    BOOST_TEST(list(unimplemented) == 1);
    linux_kernel.run_for(pause - 10s);
    BOOST_TEST(!lists());
    linux_kernel.run_for(10s);
    BOOST_TEST(lists());
  }
  BOOST_TEST(list(no_node) == 0);
  BOOST_TEST(list(unimplemented) == 1);
  linux_kernel.run_for(1min);
  BOOST_TEST(lists());
  one.call([&] { self.reset(); });
  linux_kernel.end(one);
}

BOOST_AUTO_TEST_SUITE_END()
