// Observers and functions of the program are destroyed when their client is closed, or its
// execution context destroyed.
#include <zklock/testing/relay.hpp>

#include "support/world.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

// A function or an observer of the program: notes the thread on which it is destroyed.
struct belonging : observer {
  explicit belonging(std::thread::id& where) : destroyed_on(where) {}
  ~belonging() override { destroyed_on = std::this_thread::get_id(); }

  std::thread::id& destroyed_on;
};

// A client with all functions of a program, and objects that outlive it.
struct owning_client {
  owning_client() {
    auto options = options_for(door.address());
    options.observer = std::make_shared<belonging>(where[0]);
    options.log = [own = std::make_shared<belonging>(where[1])](log_level, std::string_view) {};
    options.label = [own = std::make_shared<belonging>(where[2])](std::string_view) {
      return std::string();
    };
    zk.emplace(*io, std::move(options));
    lock.emplace(*zk, fresh_path());
    lock->acquire([this](error_code, hold got) { held = std::move(got); });
    run_until(*io, [&] { return held.owns_lock(); });
    BOOST_TEST((where[0] == std::thread::id() && where[1] == std::thread::id() &&
                where[2] == std::thread::id()));
  }

  void expect_gone() const {
    for (const auto& each : where)
      BOOST_TEST((each == std::this_thread::get_id()));
  }

  testing::relay door{shared_server().direct_address()};
  std::thread::id where[3];
  std::optional<asio::io_context> io{std::in_place, 1};
  std::optional<client> zk;
  std::optional<mutex> lock;
  hold held;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(belongings, owning_client, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(are_gone_when_the_context_is_destroyed) {
  door.silence();
  io.reset();
  expect_gone();
}

BOOST_AUTO_TEST_CASE(are_gone_when_close_has_completed) {
  bool closed = false;
  zk->close([&](error_code) {
    expect_gone();
    closed = true;
  });
  run_until(*io, [&] { return closed; });
  // The objects that refer to the client are of no use, but safe.
  std::optional<error_code> ended;
  lock->acquire([&](error_code error, const hold&) { ended = error; });
  run_until(*io, [&] { return ended.has_value(); });
  BOOST_TEST(*ended == errc::closed);
}

// A silent server: the session is closed on a thread of the library, which takes seconds.
BOOST_AUTO_TEST_CASE(are_gone_when_the_client_and_its_objects_are_destroyed) {
  door.silence();
  zk.reset();
  lock.reset();
  held = {};
  io->restart();
  io->run_for(30s);
  BOOST_TEST(io->stopped());
  expect_gone();
}

BOOST_AUTO_TEST_SUITE_END()
