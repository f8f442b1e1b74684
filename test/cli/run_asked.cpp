// Requests of other clients to release the lock.
#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

/// A client that asks for the lock of a run.
struct asking_client : observed_lock {
  asio::io_context io{1};
  client zk{io, options_for(shared_server().address())};
  mutex lock{zk, path};

  void ask() {
    run(io, [this]() -> asio::awaitable<void> {
      const auto all = co_await lock.participants(asio::use_awaitable);
      co_await lock.request_release(all.at(0), asio::use_awaitable);
    });
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(run_asked, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(request_ends_the_command) {
  asking_client other;
  auto held = start_run({other.path, "sh", "-c",
                         "trap 'echo asked; exit 4' TERM; echo ready; "
                         "while :; do sleep 0.05; done"});
  held.read_line();
  other.ask();
  BOOST_TEST(held.read_line() == "asked");
  BOOST_TEST(held.wait() == 4);
  BOOST_TEST(held.says(" asks for " + other.path), held.errors());
}

BOOST_AUTO_TEST_CASE(request_sends_the_signal_that_was_chosen) {
  asking_client other;
  auto held = start_run({"--on-request", "SIGUSR1", other.path, "sh", "-c",
                         "trap 'echo asked' USR1; echo ready; while :; do sleep 0.05; done"});
  held.read_line();
  other.ask();
  BOOST_TEST(held.read_line() == "asked");
  other.ask();
  BOOST_TEST(held.read_line() == "asked");
}

BOOST_AUTO_TEST_CASE(request_can_be_reported_only) {
  asking_client other;
  auto held = start_run({"--on-request", "none", other.path, "cat"});
  other.wait_for_entries(1);
  other.ask();
  wait_until([&] { return held.says(" asks for " + other.path); });
  held.process().write_line("still here");
  BOOST_TEST(held.read_line() == "still here");
  held.process().close_input();
  BOOST_TEST(held.wait() == 0);
}

BOOST_AUTO_TEST_CASE(request_ends_a_run_without_a_command) {
  asking_client other;
  auto held = start_run({other.path});
  held.read_line();
  other.ask();
  BOOST_TEST(held.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
